package schema

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestContent: the content of a string is what encoding/json makes of it, and of another value its
// text.
func TestContent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	parts := []string{
		"a", "é", "😀", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\u00E9`, `\u0000`, `\ud83d\ude00`, `\uD83D\uDE00`,
		`\ud83d`, `\ude00`, "\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f", "\xc0\x80",
	}
	for range 20000 {
		var b strings.Builder
		b.WriteByte('"')
		for range rnd.IntN(6) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		b.WriteByte('"')
		var want string
		if err := json.Unmarshal([]byte(b.String()), &want); err != nil {
			t.Fatal(err)
		}
		if got := content([]byte(b.String())); got != want {
			t.Errorf("%q is %q, want %q", b.String(), got, want)
		}
	}
	for _, value := range []string{"1", "-1.5e3", "true", "null", `{"a":"\n"}`, "[]"} {
		if got := content([]byte(value)); got != value {
			t.Errorf("%s is %q", value, got)
		}
	}
}
