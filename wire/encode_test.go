package wire

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestValidate holds the check of raw values against encoding/json and against the slow check, on values, on pieces of
// them, and on pieces put together, which must not pass as a value and more members.
func TestValidate(t *testing.T) {
	values := []string{
		"", " ", "1", " 1 ", "-", "-0", "01", "1.", "1e5", "true", "tru", "null", `""`, `"a`, `"\"`, `"\u12"`, `{}`, ` {} `, `{} `, `[]`, `[`, `]`, `[1,{"a":[]}]`,
		`{"a":1}`, `{"a":1}}`, `{"a":1},"b":2`, `1,"b":2`, `1}`, `}`, `{`, `{"a"}`, `{"a":}`, `{"a":{}`, `{"a":"}`, `1 2`, `"a" "b"`, `{}{}`, `[]}`, "\ufeff{}",
		`"é"`, `"` + "\n" + `"`, strings.Repeat("[", 1023) + strings.Repeat("]", 1023), strings.Repeat(`{"a":`, 1023) + "1" + strings.Repeat("}", 1023),
	}
	check1 := func(s string) {
		t.Helper()
		code, at := validate([]byte(s))
		if want := json.Valid([]byte(s)) && utf8.ValidString(s); (code == 0) != want {
			t.Fatalf("%q: %v, encoding/json says %v", s, code, want)
		}
		if slow, slowAt := check([]byte(s), DepthDefault, false); slow != code || slowAt != at && code != 0 {
			t.Fatalf("%q: %v at %d, the slow check says %v at %d", s, code, at, slow, slowAt)
		}
	}
	for _, v := range values {
		check1(v)
	}
	r := rand.New(rand.NewPCG(3, 0))
	for range 50_000 {
		var s string
		for range 1 + r.IntN(3) {
			v := values[r.IntN(len(values)-2)]
			s += v[r.IntN(len(v)+1):]
		}
		check1(s)
	}
	for _, v := range []string{"1", `{"a":1}`, `[1,2]`, `"x"`} {
		raw := []byte(v)
		if n := testing.AllocsPerRun(100, func() { _, _ = validate(raw) }); n != 0 && !raceEnabled {
			t.Errorf("%s: %v allocations", v, n)
		}
	}
}
