package splice

import "github.com/rtbwire/rtbwire/wire/coder"

// build appends a member that the document does not have.
func (s *splicer) build(node int) {
	var w coder.Writer
	s.text = w.String(s.text, s.nodes[node].name)
	s.text = append(s.text, ':')
	s.buildValue(node)
}

// buildValue appends the value of a node that the document does not have.
func (s *splicer) buildValue(node int) {
	if n := &s.nodes[node]; n.edited {
		s.text = append(s.text, n.value...)
		return
	}
	start := len(s.text)
	array := false
	if c := s.lookup(node, "-"); c != 0 {
		array = s.nodes[c].sets
	}
	for c := s.nodes[node].child; c != 0; c = s.nodes[c].next {
		if !s.nodes[c].sets {
			continue
		}
		if name := s.nodes[c].name; name != "-" && (array || isElement(name)) {
			s.failIndex(-1, c)
		}
		s.text = append(s.text, ',')
		if array {
			s.buildValue(c)
		} else {
			s.build(c)
		}
	}
	if array {
		s.text = coder.CloseArray(s.text, start)
	} else {
		s.text = coder.CloseObject(s.text, start)
	}
}

// isElement reports whether a path means an element of an array by this name, if nothing is there
// that could be an object: "-", or what looks like an index, however malformed. An object with a
// member 0 in the place of an array would be read as a fault by everyone.
func isElement(name string) bool {
	for i := range len(name) {
		if c := name[i]; c-'0' > 9 && (i > 0 || c != '-') {
			return false
		}
	}
	return name != ""
}
