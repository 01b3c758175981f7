package explanation

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Offset returns where a value is in a text that a decoder has accepted, as an offset in bytes. Of
// a value that is not there it is the place of what lacks it, unless that has an ext with the
// value: that is where earlier versions of OpenRTB have some fields.
func Offset(text []byte, pointer string) int {
	at := 0
	if grammar.HasBOM(text) {
		at = len(grammar.BOM)
	}
	at = grammar.SpaceEnd(text, at)
	if pointer == "" {
		return at
	}
	for element := range strings.SplitSeq(pointer[1:], "/") {
		name, _ := grammar.UnescapePointer(element)
		next := child(text, at, name)
		if next < 0 {
			if ext := child(text, at, "ext"); ext >= 0 {
				next = child(text, ext, name)
			}
		}
		if next < 0 {
			return at
		}
		at = next
	}
	return at
}

// child returns the offset of a value's member or element, or -1. Of members with the same name,
// which decoders compare without regard to letter case, the last one counts.
func child(text []byte, at int, name string) int {
	if at >= len(text) || text[at] != '{' && text[at] != '[' {
		return -1
	}
	found, index := -1, grammar.PointerIndex(name)
	object := text[at] == '{'
	for n := 0; ; n++ {
		if at = grammar.SpaceEnd(text, at+1); at == len(text) || text[at] == ']' || text[at] == '}' {
			return found
		}
		wanted := n == index
		if object {
			end := grammar.ValueEnd(text, at)
			if end < at+2 || text[at] != '"' {
				return found
			}
			wanted = strings.EqualFold(grammar.Unescape(text[at+1:end-1]), name)
			if at = grammar.SpaceEnd(text, end); at == len(text) || text[at] != ':' {
				return found
			}
			at = grammar.SpaceEnd(text, at+1)
		}
		if wanted {
			found = at
		}
		end := grammar.ValueEnd(text, at)
		if end == 0 {
			return found
		}
		if at = grammar.SpaceEnd(text, end); at == len(text) || text[at] != ',' {
			return found
		}
	}
}
