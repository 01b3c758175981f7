package stream

import "strconv"

// The headers of a dead letter, after those of the record. Responses have HeaderSource. No other
// header of a record that is written has one of these names ([SenderHeader]).
const (
	HeaderReason = "rtbwire-reason" // what decided: schema.Imp.id.required, stream.size
	HeaderNBR    = "rtbwire-nbr"    // the no-bid reason that belongs to it
	HeaderPath   = "rtbwire-path"   // the JSON Pointer of the place, /imp/0/id
	HeaderOffset = "rtbwire-offset" // the byte in the value; -1 if there is no place
	HeaderSource = "rtbwire-source" // where the record was read: lane and position, bids/3/1200
	// HeaderSize is only there if the value was too large for its sink, or too large to be read
	// ([Record.Size]), and is the length that it had. The value of the dead letter is then empty.
	HeaderSize = "rtbwire-size"
	// HeaderDropped is only there if key and headers alone were too large. The dead letter has
	// neither of them then, nor a value: long keys must not stop the stream.
	HeaderDropped = "rtbwire-dropped"
	// HeaderTime is of any record whose own time its sink does not take, and is that time, in
	// milliseconds since 1970. The record is written with the time of now.
	HeaderTime = "rtbwire-original-time"
)

// SenderPrefix is what [SenderHeader] puts before a name.
const SenderPrefix = "sender-"

// SenderHeader returns the name under which a sink writes a header that the record had when it was
// read: [SenderPrefix] and the name if it is one of ours, so that nobody takes what a sender claims
// for what the stream says; otherwise the name as it is.
func SenderHeader(name string) string {
	switch name {
	case HeaderReason, HeaderNBR, HeaderPath, HeaderOffset, HeaderSource, HeaderSize, HeaderDropped, HeaderTime:
		return SenderPrefix + name
	}
	return name
}

// deadLetter makes a record that is refused its dead letter: as it was read, with what decided.
func (f *Flow) deadLetter(r *Record, o *outcome) {
	r.Value = o.value
	if o.trace != nil {
		r.Headers = o.trace.headers
	}
	r.Added = []Header{
		{Key: HeaderReason, Value: []byte(o.decision.Reason)},
		{Key: HeaderNBR, Value: strconv.AppendInt(nil, int64(o.decision.NBR), 10)},
		{Key: HeaderPath, Value: []byte(o.path)},
		{Key: HeaderOffset, Value: strconv.AppendInt(nil, int64(o.offset), 10)},
		{Key: HeaderSource, Value: []byte(r.Source())},
	}
	if size := max(r.Size, int64(len(o.value))); r.Size > 0 || f.o.DeadLetters.Check(r) != nil {
		r.Added = append(r.Added, Header{Key: HeaderSize, Value: strconv.AppendInt(nil, size, 10)})
		r.Value = []byte{}
	}
	if f.o.DeadLetters.Check(r) != nil {
		r.Added = append(r.Added, Header{Key: HeaderDropped, Value: []byte("key,headers")})
		r.Key, r.Headers = nil, nil
	}
}
