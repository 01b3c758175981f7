package conformance

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestTaggedDocuments tests the tagged documents themselves: a check with another tag must fail.
func TestTaggedDocuments(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 50} {
		for _, e := range requestEntries() {
			e.decode(testkit.TaggedRequest(7, n), func(got oracle.Outcome) {
				if got.Fault != nil {
					t.Fatal(*got.Fault)
				}
				if s := testkit.CheckTagged(got.Value, 7, testkit.TaggedLeaves(n)); s != "" {
					t.Errorf("%s: %s", e.name, s)
				}
				if s := testkit.CheckTagged(got.Value, 8, -1); s == "" {
					t.Errorf("%s: a request with tag 7 passes for one with tag 8", e.name)
				}
			})
		}
	}
}
