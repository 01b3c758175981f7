package splice

// members follows the members of one object or the elements of one array, and cuts out those
// that are to be removed together with one comma each.
type members struct {
	keptEnd int // the end of the last one that stays, or of the opening bracket
	kept    int // how many stay
	mark    int // how many spans there were at keptEnd
	cut     int // where the last one began, if it is removed, else 0
	cutEnd  int
}

// begin is called at the start of each member.
func (m *members) begin(s *splicer, start int) {
	if m.cut != 0 {
		s.spans = append(s.spans, span{m.cut, start, nil})
		m.cut = 0
	}
}

// end is called after each member.
func (m *members) end(s *splicer, start, end int, removed bool) {
	if removed {
		m.cut, m.cutEnd = start, end
		return
	}
	m.keptEnd, m.kept, m.mark = end, m.kept+1, len(s.spans)
}

// last is called after the last member. Removed ones at the end go together with the comma
// in front of them.
func (m *members) last(s *splicer) {
	if m.cut != 0 {
		s.spans = s.spans[:m.mark]
	}
}

// close cuts out the removed members at the end, and puts text, which begins with a comma,
// in their place.
func (m *members) close(s *splicer, text []byte) {
	to := m.keptEnd
	if m.cut != 0 {
		to = m.cutEnd
	}
	if m.kept == 0 && len(text) > 0 {
		text = text[1:]
	}
	if to != m.keptEnd || len(text) > 0 {
		s.spans = append(s.spans, span{m.keptEnd, to, text})
	}
}
