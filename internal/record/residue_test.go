package record

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestResidueSpellings looks for an identifier in the spellings that senders use.
func TestResidueSpellings(t *testing.T) {
	t.Parallel()
	var r Redactor
	for _, tt := range []struct{ id, elsewhere string }{ // texts of JSON
		{`ab/cd/ef`, `ab\/cd\/ef`},
		{`ab\/cd\/ef`, `ab/cd/ef`},
		{`6f1a-2b3c`, `https://a.example/?u=6f1a%2D2b3c&x=1`},
		{`6f1a-2b3c`, `https://a.example/?u=6F1A%2d2B3C`},
		{`6f1a-2b3c`, `https://a.example/?next=https%3A%2F%2Fb.example%2F%3Fu%3D6f1a%252D2b3c`},
		{`6f1a-2b3c`, `\u0036\u0066\u0031a\u002d2b3c`},
		{`6f1a-2b3c`, `6f1a\u00252D2b3c`},
		{`6f1a-2b3c`, `{\"id\":\"6f1a\\u002d2b3c\"}`},
		{`my id 4711`, `?u=my+id%204711`},
		{`my+id+4711`, `?u=my%2Bid%2b4711`},
		{`abcd%3D%3D`, `?u=abcd==`},
		{`abcdef%`, `\u0061bcdef%41`},
		{`h\u00e9l\u00e8ne`, `?u=h%C3%A9l%c3%a8ne`},
		{`\ud83d\ude00x\ud83d\ude00`, `?u=%F0%9F%98%80x%f0%9f%98%80`},
	} {
		for _, at := range []string{`"ext":{"a":"-%s-"}`, `"ext":{"-%s-":1}`, `"site":{"page":"-%s-"}`} {
			body := fmt.Sprintf(`{"id":"1","user":{"id":"%s"},`+at+`}`, tt.id, tt.elsewhere)
			out := redacted(t, &r, []byte(body))
			if !json.Valid(out) || !strings.Contains(string(out), "xxxxxx") || strings.Contains(string(out), tt.elsewhere) {
				t.Errorf("%s became %s", body, out)
			}
		}
	}
}

// TestResidueMax keeps no request with more identifiers than are looked for.
func TestResidueMax(t *testing.T) {
	t.Parallel()
	for _, n := range []int{residueMax, residueMax + 1} {
		var uids []string
		for i := range n {
			uids = append(uids, fmt.Sprintf(`{"id":"identifier-%d"}`, i))
		}
		var r residue
		err := r.find(fmt.Appendf(nil, `{"user":{"eids":[{"uids":[%s]}]}}`, strings.Join(uids, ",")))
		if (err == nil) != (n <= residueMax) {
			t.Errorf("%d identifiers: %v", n, err)
		}
	}
}

// TestResidueRandom plants identifiers in random encodings at random places. A reader that undoes
// the encodings finds none of them.
func TestResidueRandom(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var r Redactor
	letters := []rune("abcdefXYZ0123456789-_.~/+ =&?%\\\"{}:,'é😀")
	for n := range 3000 {
		id := make([]rune, residueMin+rng.IntN(20))
		for i := range id {
			id[i] = letters[rng.IntN(len(letters))]
		}
		text, undo := string(id), []func(string) string{}
		for range rng.IntN(layersMax) {
			if rng.IntN(2) == 0 {
				text = percentRandom(rng, text)
				undo = append(undo, func(s string) string {
					plain, err := url.QueryUnescape(s)
					if err != nil {
						t.Fatal(err)
					}
					return plain
				})
			} else {
				text = jsonRandom(rng, text)
				undo = append(undo, func(s string) string { return unquote(t, s) })
			}
		}
		// What stands around it keeps its meaning in all encodings.
		text = jsonRandom(rng, "-") + jsonRandom(rng, text) + "-"
		own := []string{
			`"user":{"id":"%s"}`, `"user":{"buyeruid":"%s"}`, `"device":{"ifa":"%s"}`, `"user":{"eids":[{"source":"a.example","uids":[{"id":"%s"}]}]}`,
		}[rng.IntN(4)]
		at := []string{
			`"site":{"page":"%s"}`, `"ext":{"%s":1}`, `"ext":{"a":[{"b":"%s"}]}`, `"imp":[{"id":"%s"}]`, `"bcat":["%s"]`, `"site":{"ext":{"%s":{}}}`,
		}[rng.IntN(6)]
		body := fmt.Sprintf(`{"id":"1",`+own+`,`+at+`}`, jsonRandom(rng, string(id)), text)
		out := redacted(t, &r, []byte(body))
		if !json.Valid(out) {
			t.Fatalf("%d: %s became %s", n, body, out)
		}
		read := unquote(t, text)
		if !strings.Contains(body, text) {
			t.Fatalf("%s has no %s", body, text)
		}
		for _, u := range slices.Backward(undo) {
			read = u(read)
		}
		if read != "-"+string(id)+"-" && strings.ReplaceAll(read, "+", " ") != "-"+strings.ReplaceAll(string(id), "+", " ")+"-" {
			t.Fatalf("%q stands for %q, want %q", text, read, string(id))
		}
		if strings.Contains(string(out), text) {
			t.Fatalf("%d: %q is left: %s became %s", n, string(id), body, out)
		}
	}
}

// percentRandom encodes for a query, and some bytes that need it not.
func percentRandom(rng *rand.Rand, text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && rng.IntN(2) == 0:
			b.WriteByte('+')
		case c <= ' ', c >= 0x7f, strings.IndexByte(`%+&=?"\{}`, c) >= 0, rng.IntN(4) == 0:
			fmt.Fprintf(&b, []string{"%%%02x", "%%%02X"}[rng.IntN(2)], c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// jsonRandom writes text as the content of a string, and some characters as escapes.
func jsonRandom(rng *rand.Rand, text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case rng.IntN(4) == 0:
			for _, half := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[rng.IntN(2)], half)
			}
		case c == '"', c == '\\', c == '/' && rng.IntN(2) == 0:
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// unquote reads the content of a string of JSON.
func unquote(tb testing.TB, text string) (plain string) {
	tb.Helper()
	if err := json.Unmarshal([]byte(`"`+text+`"`), &plain); err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return plain
}
