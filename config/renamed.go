package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// The lines of docs/reference/renamed.md between which [Renamed] stands.
const (
	RenamedBegin = "<!-- settings: written by go generate ./config -->\n"
	RenamedEnd   = "<!-- /settings -->\n"
)

// Renamed returns a table of the flags and keys that have other names now, from their declarations.
func Renamed() string {
	var rows []string
	var visit func(shape *setting.Shape, path string)
	visit = func(shape *setting.Shape, path string) {
		for i := range shape.Keys {
			key := &shape.Keys[i]
			at := path + key.Name
			for _, old := range key.Was {
				rows = append(rows, fmt.Sprintf("| key `%s%s` | `%s` |\n", path, old, at))
			}
			_, inSection, _ := strings.Cut(at, ".")
			for _, old := range key.Flag.Was {
				rows = append(rows, fmt.Sprintf("| flag `--%s` | `--%s` (`%s`) |\n", old, key.FlagAt(inSection), at))
			}
			for _, o := range objectsOf(key.Shape) {
				visit(o, at+".")
			}
		}
	}
	visit(root().Shape, "")
	slices.Sort(rows)
	return "| was | is |\n| --- | --- |\n" + strings.Join(slices.Compact(rows), "")
}
