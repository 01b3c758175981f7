package testkit

import (
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
)

// Levels are the kernels that this machine and build have, the fastest first.
func Levels() []jsonindex.Level { return jsonindex.Levels() }

// SetLevel selects the kernels of a level and returns a function that selects the ones from
// before again. utf8check has fewer levels; where it lacks one, its fastest is used.
func SetLevel(l jsonindex.Level) (undo func()) {
	index := jsonindex.SetLevel(l)
	if levels := utf8check.Levels(); !slices.Contains(levels, l) {
		l = levels[0]
	}
	check := utf8check.SetLevel(l)
	return func() {
		jsonindex.SetLevel(index)
		utf8check.SetLevel(check)
	}
}

// EachLevel runs a test once for each level.
func EachLevel(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	for _, l := range Levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer SetLevel(l)()
			test(t)
		})
	}
}
