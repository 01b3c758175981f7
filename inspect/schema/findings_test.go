package schema

import (
	"slices"
	"strings"
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
				list[i] = Finding{Doc: Doc(rng.IntN(2)), Offset: rng.IntN(places) - 1, Number: uint16(i)}
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

// TestPathsAreKept keeps the paths of many reports while others are made.
func TestPathsAreKept(t *testing.T) {
	c := strict(t)
	var paths, copies []string
	for _, doc := range corpus(t, "requests")[:200] {
		for _, f := range c.Request(doc).Findings {
			paths, copies = append(paths, f.Path), append(copies, strings.Clone(f.Path))
		}
	}
	if !slices.Equal(paths, copies) || len(paths) < 1000 {
		t.Errorf("%d paths; some have changed: %v", len(paths), !slices.Equal(paths, copies))
	}
}
