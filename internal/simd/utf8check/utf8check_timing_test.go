package utf8check

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/simd/simdtest"
)

// languages has the first article of the Universal Declaration of Human Rights, and a request with
// titles in several languages, which is what this package sees most.
var languages = []struct{ name, text string }{
	{"German", "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen. "},
	{"Russian", "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. "},
	{"Chinese", "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。"},
	{"Emoji", "🎬🍿😀 ok 👍🏽 👨‍👩‍👧‍👦 🇺🇳 "},
	{"Request", `{"id":"80ce30c53c16e6ede735f123ef6e32361bfc7b22","at":1,"cur":["EUR"],"imp":[{"id":"1","bidfloor":0.03,"banner":{"w":300,"h":250,"pos":0}}],` +
		`"site":{"id":"102855","name":"Straße und Verkehr","cat":["IAB3-1"],"domain":"www.example.com","page":"https://www.example.com/1234.html","content":{"title":"Все люди рождаются свободными","keywords":"自由,尊严,权利"}},` +
		`"device":{"ua":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36","ip":"123.145.167.10","geo":{"country":"DEU","city":"Köln"}},"user":{"id":"55816b39711f9b5acf3b90e313ed29e51665623f"}},`},
}

// benchText returns about n bytes of a language, ending at the end of a character.
func benchText(language string, n int) []byte {
	for _, l := range languages {
		if l.name == language {
			text := strings.Repeat(l.text, n/len(l.text)+2)
			for !utf8.RuneStart(text[n]) {
				n--
			}
			return []byte(text[:n])
		}
	}
	panic("no text in " + language)
}

func BenchmarkValid(b *testing.B) {
	for _, l := range languages {
		for _, size := range []int{16, 63, 400, 804, 4096, 65536} {
			b.Run(fmt.Sprintf("text=%s/size=%d", l.name, size), func(b *testing.B) {
				text := benchText(l.name, size)
				simdtest.EachLevel(b, kernel, func(b *testing.B) {
					b.SetBytes(int64(len(text)))
					for b.Loop() {
						if !Valid(text) {
							b.Fatal("refused")
						}
					}
				})
			})
		}
	}
}
