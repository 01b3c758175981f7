package conformance

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestJSONTestSuite decodes every document of JSONTestSuite: bare, and in each position of a value.
func TestJSONTestSuite(t *testing.T) {
	list := entries()
	for i, f := range testkit.Suite(t) {
		// What RFC 8259 leaves open is decided as in jsontext: numbers of any size, only UTF-8 and
		// whole surrogate pairs. Default mode also accepts a key that comes twice.
		strict := f.Class == "y" || f.Class == "i"
		if f.Class == "i" {
			strict = f.JSONText
		}
		ok := strict
		if twice := strings.Contains(f.File, "same_key") || strings.Contains(f.File, "duplicated_key"); twice {
			strict, ok = false, true
		}
		object := bytes.HasPrefix(bytes.TrimLeft(f.Text, " \t\r\n"), []byte("{"))
		for position, wrap := range []string{
			"?", `{"ext":?}`, `{"imp":[{"ext":?}]}`, `{"x":?}`, `{"x":[0,?,""]}`, ` { "x" : { "y" : ? } , "id" : "1" } `, `{"seatbid":[{"bid":[{"ext":?}]}]}`,
		} {
			data := []byte(strings.Replace(wrap, "?", string(f.Text), 1))
			if position > 0 && i%2 == 1 { // another place in a block of the index
				data = append(bytes.Repeat([]byte(" "), 7*i%64), data...)
			}
			everywhere(t, list, data)
			for _, e := range list {
				want := ok
				if e.mode == oracle.Strict {
					want = strict
				}
				if e.mode == oracle.Lenient && f.Class == "i" {
					continue // compared with the oracle only
				}
				want = want && (position > 0 || object)
				if got := e.accepts(data); got != want {
					t.Errorf("%s, class %s, as %s: accepted by %s is %v, want %v", f.File, f.Class, wrap, e.name, got, want)
				}
			}
		}
	}
}
