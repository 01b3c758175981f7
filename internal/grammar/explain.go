package grammar

// Explain walks to the first fault of a text in one pass. It returns the pointer to the innermost
// value around an offset, as PointerAt does, and the scanner, which says what the fault is.
func Explain(data []byte, offset int) (pointer string, s *Scanner) {
	p := pointers{data: data, wanted: []int{offset}}
	s = &Scanner{Data: data, Depth: DepthMost, Tolerant: true, follower: through{&p}}
	if HasBOM(data) {
		s.Pos = len(BOM)
	}
	s.Document()
	if len(p.wanted) > 0 { // beyond what could be read
		p.note()
	}
	return p.found[0], s
}

// through notes a pointer and goes on.
type through struct{ *pointers }

func (t through) reached(pos int) bool {
	t.pointers.reached(pos)
	return true
}
