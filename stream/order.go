package stream

// order is the part of a lane that decides when a chunk is sent: chunks are judged in any order and
// sent in theirs, by one goroutine at a time, until the lane is stopped. The lane's lock guards it.
type order struct {
	unsent      *chunk // the next to be sent, in the list of the prefix
	sending     bool
	outstanding int  // chunks that are sent and not finished
	stopped     bool // nothing more is sent
}

// add notes that a chunk is at the end of the list.
func (o *order) add(c *chunk) {
	if o.unsent == nil {
		o.unsent = c
	}
}

// begin reports whether the caller is the one that sends now.
func (o *order) begin() bool {
	if o.sending {
		return false
	}
	o.sending = true
	return true
}

// next returns the chunk to be sent, nil if there is none yet.
func (o *order) next() *chunk {
	c := o.unsent
	if o.stopped || c == nil || !c.judged {
		return nil
	}
	o.unsent = c.next
	o.outstanding++
	return c
}

// busy reports whether something is on its way. While the lane is not stopped, that includes what
// is not judged yet.
func (o *order) busy() bool {
	return o.sending || o.outstanding > 0 || !o.stopped && o.unsent != nil
}
