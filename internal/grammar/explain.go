package grammar

// Explain walks to the first fault of a text. It returns the pointer to the innermost value around
// an offset, as PointerAt does, and the scanner, which says what the fault is.
func Explain(data []byte, offset int) (pointer string, s *Scanner) {
	w := newPathWalk(data)
	s = &Scanner{Data: data, Depth: DepthMax, Tolerant: true, path: w}
	if HasBOM(data) {
		s.Pos = len(BOM)
	}
	s.Document()
	if s.Fault != 0 && s.At == offset {
		pointer = w.pointer()
	} else {
		pointer = PointerAt(data, offset)
	}
	s.path = nil
	w.release()
	return pointer, s
}
