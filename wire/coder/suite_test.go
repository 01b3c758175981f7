package coder

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestSuitePlaces decodes the documents of JSONTestSuite in the positions of values and members,
// and compares with the oracle.
func TestSuitePlaces(t *testing.T) {
	rs := readers()
	for _, f := range testkit.Suite(t) {
		if len(f.Text) > 50_000 {
			continue
		}
		against(t, rs, f.Text, scalar((*Reader).AnyString))
		for _, place := range []string{`{"v":?}`, `{"x":?}`, `{"x":[0,?]}`, `{"v":"",?}`, `{?}`, `{"v":""}?`, `?{"v":""}`} {
			doc := []byte(strings.Replace(place, "?", string(f.Text), 1))
			against(t, rs, doc, scalar((*Reader).AnyString))
			against(t, rs, doc, scalar(plainInt))
			against(t, rs, doc, rawMessage)
		}
	}
}
