package schema

import (
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestWithoutPlaces compares findings without places with those that have them: the same rules and
// counts.
func TestWithoutPlaces(t *testing.T) {
	with, without := strict(t), strict(t, WithoutPlaces(true))
	sorted := func(r Report) []string {
		list := ids(r)
		slices.Sort(list)
		return list
	}
	found := 0
	for _, doc := range slices.Concat(testkit.Requests(t), testkit.Responses(t), [][]byte{[]byte(`{"id":"1","x":[1,}`), []byte(`{"imp":7,"Imp":[],"x":1,"x":2}`)}) {
		for _, check := range []func(*Checker) Report{
			func(c *Checker) Report { return c.Request(doc) },
			func(c *Checker) Report { return c.Response(doc) },
		} {
			want := check(with)
			wantIDs, counts := sorted(want), want.Counts
			got := check(without)
			if !slices.Equal(sorted(got), wantIDs) || got.Counts != counts {
				t.Fatalf("%s:%s\nwant %v", doc, describe(got), wantIDs)
			}
			for _, f := range got.Findings {
				if found++; f.ID != "json.syntax" && (f.Path != "" || f.Offset != -1) {
					t.Fatalf("%s: %v has a place", doc, f)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no findings")
	}
}
