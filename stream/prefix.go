package stream

// prefix is the part of a lane that knows what is delivered: the list of its chunks, and the end of
// the delivered records without a gap, which is all that is ever committed. The lane's lock guards
// it.
type prefix struct {
	first, last *chunk // first is the oldest one with records that are not delivered

	expected  int64 // where the next record should begin; -1 if that is not known
	position  int64 // everything before it is delivered; -1 until something is
	committed int64 // -1 if nothing is known to be
}

// add appends a chunk.
func (p *prefix) add(c *chunk) {
	if p.last == nil {
		p.first = c
	} else {
		p.last.next = c
	}
	p.last = c
}

// goesBack notes the records that were read. It reports whether they are from before what was read
// already; committed positions mean nothing from then on.
func (p *prefix) goesBack(records []Record) (expected int64, back bool) {
	expected = p.expected
	p.expected = records[len(records)-1].Next
	return expected, records[0].Position < expected
}

// advance moves the position past delivered records. It returns a chunk that is behind it and that
// nobody uses any more, or nil; the caller asks again until it is nil.
func (p *prefix) advance() *chunk {
	c := p.first
	if c == nil {
		return nil
	}
	n := c.prefix()
	if n > 0 {
		if c.back {
			p.committed, c.back = -1, false
		}
		p.position = c.records[n-1].Next
	}
	if n < len(c.records) || !c.over {
		return nil
	}
	if p.first = c.next; p.first == nil {
		p.last = nil
	}
	return c
}

// moved reports whether there is something to commit.
func (p *prefix) moved() bool { return p.position > p.committed }
