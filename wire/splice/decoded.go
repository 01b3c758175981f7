package splice

import (
	"bytes"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

const extPath = "/ext"

// Decoded is [Apply] for a text that was decoded, with what is known of it: the value's raw ext,
// which the caller may have changed since, and the place that the decoder has found. Generated
// code calls it. Edits that are all below /ext then need not read the document.
func Decoded(dst, data, ext []byte, place coder.Place, edits ...wire.Edit) ([]byte, error) {
	if len(edits) == 0 || !below(edits, extPath) {
		return Apply(dst, data, edits...)
	}
	from, to := place.From, place.To
	switch {
	case place.Brace == 0: // nothing is known; only new members of the last ext are safe
		at, ok := mem.IndexOf(data, ext)
		if !ok || slices.ContainsFunc(edits, isRemoval) || !isLastExt(data, at, at+len(ext)) {
			return Apply(dst, data, edits...)
		}
		from, to = at, at+len(ext)
	case from == 0:
		return addExt(dst, data, place.Brace, edits)
	case from < 0 || data[from] != '{':
		return Apply(dst, data, edits...)
	}
	return within(dst, data, from, to, extPath, edits)
}

func isRemoval(e wire.Edit) bool { return e.Value == nil }

// isLastExt reports whether data[from:to], of a valid document, is an object and the value of the
// last of the document's own members with the key "ext". It does not read what is before the key,
// and tries no more than provedMax bytes after it.
func isLastExt(data []byte, from, to int) bool {
	const key = `"ext"`
	if len(data)-from > provedMax || from == to || data[from] != '{' {
		return false
	}
	before := trimEnd(data, from)
	if before == 0 || data[before-1] != ':' {
		return false
	}
	before = trimEnd(data, before-1)
	if !bytes.HasSuffix(data[:before], []byte(key)) {
		return false
	}
	before = trimEnd(data, before-len(key))
	// A quote after a comma or a brace is not escaped: it begins the key.
	if before == 0 || data[before-1] != ',' && data[before-1] != '{' {
		return false
	}
	// If the key is one of the document itself, the second brace without a partner ends the text.
	depth, isKey, ended := 1, false, false
	for i := from; i < len(data); i++ {
		switch data[i] {
		case '"':
			start := i + 1
			for i = start; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					if isKey {
						return false // it may be another spelling
					}
					i++
				}
			}
			if isKey && string(data[start:min(i, len(data))]) == "ext" {
				return false
			}
			isKey = false
		case ',':
			isKey = depth == 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 1 && !ended {
				if ended = true; i+1 != to {
					return false
				}
			}
			if depth == 0 {
				return ended && trimEnd(data, len(data)) == i+1
			}
		}
	}
	return false
}

// provedMax is how much text is read to prove that an ext is the document's. Beyond that the
// general way is not much slower.
const provedMax = 1024

// trimEnd returns end without the white space before it.
func trimEnd(data []byte, end int) int {
	for end > 0 && grammar.IsSpace(data[end-1]) {
		end--
	}
	return end
}

// addExt applies edits below /ext to a document without it, whose closing brace is at brace.
func addExt(dst, data []byte, brace int, edits []wire.Edit) ([]byte, error) {
	end := trimEnd(data, brace)
	head := `,"ext":{`
	if data[end-1] == '{' {
		head = head[1:]
	}
	if size, ok := newMembers(nil, extPath, edits); ok && !overlaps(dst, data, edits) {
		out := slices.Grow(dst, len(data)+len(head)+size)
		out = append(append(out, data[:end]...), head...)
		out = append(appendMembers(out, extPath, edits, false), '}')
		return append(out, data[end:]...), nil
	}
	s := splicers.Get().(*splicer)
	s.start("")
	out, err := s.add(dst, data, end, head[0] == ',', edits)
	s.reset()
	splicers.Put(s)
	return out, err
}

// add applies edits that are all below one member that the document does not have, and puts it
// at end.
func (s *splicer) add(dst, data []byte, end int, comma bool, edits []wire.Edit) ([]byte, error) {
	if !s.plantAll(edits) {
		return dst, s.err
	}
	if n := s.nodes[0].child; s.nodes[n].sets {
		if comma {
			s.text = append(s.text, ',')
		}
		if s.build(n); s.err != nil {
			return dst, s.err
		}
		s.spans = append(s.spans, span{end, end, s.text})
	}
	return s.output(dst, data, 0, edits), nil
}

// below reports whether all edits are below a path.
func below(edits []wire.Edit, path string) bool {
	for i := range edits {
		if rest, ok := strings.CutPrefix(edits[i].Path, path); !ok || rest == "" || rest[0] != '/' {
			return false
		}
	}
	return true
}
