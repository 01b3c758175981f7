package schema

import (
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestSortByPlace compares the sort with that of package slices, on lists of all lengths with many
// equal places.
func TestSortByPlace(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for n := range 100 {
		for places := 1; places < 20; places += 3 {
			list := make([]Finding, n)
			for i := range list {
				list[i] = Finding{Doc: Doc(rng.IntN(2)), Offset: rng.IntN(places) - 1, rule: ruleID(i)}
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(a, b Finding) int {
				if a.Doc != b.Doc {
					return int(a.Doc) - int(b.Doc)
				}
				return a.Offset - b.Offset
			})
			if sortByPlace(list); !slices.Equal(list, want) {
				t.Fatalf("%d findings: got %v, want %v", n, list, want)
			}
		}
	}
}
