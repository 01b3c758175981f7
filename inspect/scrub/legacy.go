package scrub

import (
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/legacy"
)

// place is where a value can be.
type place struct {
	names []string
	part  bool // it is the second place of something inside the value, not of the value
}

// places returns the places of a value: the one that is asked for, and those that other versions of
// OpenRTB have for it, or for a part of it. Values move both ways: who asks for the old place gets
// the field too.
func places(names []string) []place {
	list := []place{{names: names}}
	for i := 0; i < len(list); i++ {
		from := list[i]
		l, _, _ := find(from.names) // an old place may lead to what the fields lack
		for _, o := range l.inside {
			head, tail := from.names[:o.at], from.names[o.at:]
			for _, row := range legacy.Table() {
				if row.Object != o.typ {
					continue
				}
				old, field := elements(row.From), elements(row.To)
				add := func(names []string, rest []string, part bool) {
					to := slices.Concat(head, names, rest)
					if !slices.ContainsFunc(list, func(p place) bool { return slices.Equal(p.names, to) }) {
						list = append(list, place{to, from.part || part})
					}
				}
				switch {
				case hasPrefix(tail, field):
					add(old, tail[len(field):], false)
				case hasPrefix(tail, old):
					add(field, tail[len(old):], false)
				case hasPrefix(field, tail) && !hasPrefix(old, tail):
					add(old, nil, true)
				}
			}
		}
	}
	return list
}

func elements(pointer string) []string { return strings.Split(pointer[1:], "/") }

func hasPrefix(names, prefix []string) bool {
	return len(names) >= len(prefix) && slices.Equal(names[:len(prefix)], prefix)
}
