package inspect

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file works out which bids of a response are to be removed.

// blame is what findings that refuse are about.
type blame struct {
	first *Reason // of all of them
	whole *Reason // the response
	bids  []RemovedBid
	seats []blamedSeat
}

type blamedSeat struct {
	seat   int
	reason string
}

func (b *blame) begin() { *b = blame{bids: b.bids[:0], seats: b.seats[:0]} }

// add notes a finding that refuses, at a path.
func (b *blame) add(r *Reason, path string) {
	if b.first == nil {
		b.first = r
	}
	seat, bid := placeOf(path)
	switch {
	case bid >= 0:
		b.bids = append(b.bids, RemovedBid{seat, bid, r.ID})
	case seat >= 0:
		b.seats = append(b.seats, blamedSeat{seat, r.ID})
	case b.whole == nil:
		b.whole = r
	}
	if b.full() && b.whole == nil { // others are not looked for
		b.whole = b.first
	}
}

// full reports whether so much is wrong that the whole response is to blame.
func (b *blame) full() bool { return len(b.bids)+len(b.seats) >= responseFindingsMax }

// placeOf returns the numbers of the seat and the bid that a JSON Pointer leads to or into, -1
// where it does not.
func placeOf(path string) (seat, bid int) {
	seat, rest := elementOf(path, "/seatbid/")
	if seat < 0 {
		return -1, -1
	}
	bid, _ = elementOf(rest, "/bid/")
	return seat, bid
}

// elementOf reads the index after a prefix, or -1.
func elementOf(path, prefix string) (index int, rest string) {
	text, found := strings.CutPrefix(path, prefix)
	if !found {
		return -1, ""
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		text, rest = text[:i], text[i:]
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return -1, ""
	}
	return n, rest
}

// decideResponse judges by one resolved policy. v is zero.
func (w *Worker) decideResponse(j *responseJudge, body []byte, response *openrtb.BidResponse, err error, s *answerState, v *ResponseVerdict) {
	s.emitter.begin(w.engine.maxFindings)
	s.doc = rule.Response
	s.blame.begin()
	s.edits = s.edits[:0]
	if err != nil {
		j.undecodable(err, s)
	} else {
		j.rules(w.in.checker, s)
		j.markup(response, s)
		if j.payloads {
			w.searchResponse(j, body, response, s)
		}
		for i := range response.SeatBid {
			v.Bids += len(response.SeatBid[i].Bid)
		}
	}
	if s.first != nil {
		w.removeBids(j, response, s, v)
	}
	v.Findings, v.Dropped, v.Counts = s.findings, s.dropped, s.counts
}

// report adds a finding, and notes who is to blame if it refuses.
func (s *answerState) report(r *Reason, severity Severity, path string, offset int, message string) {
	s.emit(r, severity, path, offset, message)
	if severity == Refuse {
		s.add(r, path)
	}
}

// undecodable reports an error of the decoder.
func (j *responseJudge) undecodable(err error, s *answerState) {
	id, path, offset, message := decodeID(wire.CodeSyntax), "", -1, err.Error()
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		id, path, offset, message = decodeID(e.Code), e.Path, e.Offset, e.Reason()
	}
	r, severity := j.reason(id)
	s.emit(r, severity, path, offset, message)
	if severity == Refuse {
		s.add(r, "") // of what can't be read, no part can be kept
	}
}

// rules reports the findings of package schema.
func (j *responseJudge) rules(c *schema.Checker, s *answerState) {
	report := c.JudgeResponse(j.engine)
	counts := report.Counts
	for i := range report.Findings {
		f := &report.Findings[i]
		counts[f.Severity]--
		r, severity := j.reason(f.ID)
		path, offset := f.Path, f.Offset
		if f.Doc == schema.Request {
			path, offset = "", -1 // the deal without a bid
		}
		s.report(r, severity, path, offset, f.Message)
	}
	for n := Observe; n <= Refuse; n++ {
		s.drop(n, counts[n])
	}
	if counts[Refuse] > 0 && s.whole == nil { // unknown which bids they are about
		s.whole = s.first
	}
}

// markup reports markup that is too long.
func (j *responseJudge) markup(response *openrtb.BidResponse, s *answerState) {
	r, severity := j.reason(strings.TrimPrefix(responseMarkup, responsePrefix))
	if severity == Off {
		return
	}
	for i := range response.SeatBid {
		for k := range response.SeatBid[i].Bid {
			if len(response.SeatBid[i].Bid[k].AdM) > j.markupMax {
				s.report(r, severity, bidPath(i, k)+"/adm", -1, r.Text)
			}
		}
	}
}

func bidPath(seat, bid int) string {
	return "/seatbid/" + strconv.Itoa(seat) + "/bid/" + strconv.Itoa(bid)
}

// removeBids decides what becomes of a response that somebody is to blame for.
func (w *Worker) removeBids(j *responseJudge, response *openrtb.BidResponse, s *answerState, v *ResponseVerdict) {
	v.Reason, v.NBR = s.first.ID, s.first.NBR
	if s.whole != nil || response == nil {
		v.Action = ActionRefuse
		return
	}
	if s.outside(response) {
		v.Action = ActionRefuse
		return
	}
	s.completeSeats(response)
	slices.SortStableFunc(s.bids, func(a, b RemovedBid) int {
		if a.Seat != b.Seat {
			return a.Seat - b.Seat
		}
		return a.Bid - b.Bid
	})
	s.bids = slices.CompactFunc(s.bids, func(a, b RemovedBid) bool { return a.Seat == b.Seat && a.Bid == b.Bid })
	v.Removed = s.bids
	if len(s.bids) == v.Bids || w.hidesBids(j) {
		v.Action = ActionRefuse
		return
	}
	for i := 0; i < len(s.bids); {
		seat, n := s.bids[i].Seat, 1
		for i+n < len(s.bids) && s.bids[i+n].Seat == seat {
			n++
		}
		if n == len(response.SeatBid[seat].Bid) {
			s.edits = append(s.edits, wire.Remove("/seatbid/"+strconv.Itoa(seat)))
		} else {
			for _, b := range s.bids[i : i+n] {
				s.edits = append(s.edits, wire.Remove(bidPath(seat, b.Bid)))
			}
		}
		i += n
	}
	v.Edits = s.edits
}

// outside reports whether somebody is to blame that was not decoded: in another copy of a key.
func (s *answerState) outside(response *openrtb.BidResponse) bool {
	seats := response.SeatBid
	return slices.ContainsFunc(s.seats, func(b blamedSeat) bool { return b.seat >= len(seats) }) ||
		slices.ContainsFunc(s.bids, func(b RemovedBid) bool { return b.Seat >= len(seats) || b.Bid >= len(seats[b.Seat].Bid) })
}

// completeSeats makes the blame of a seat that of its bids. Where a seat wins all of its bids or
// none (group), one that is removed takes the others along.
func (s *answerState) completeSeats(response *openrtb.BidResponse) {
	for i := range s.bids {
		b := s.bids[i]
		if g := response.SeatBid[b.Seat].Group; g != nil && *g == 1 {
			s.seats = append(s.seats, blamedSeat{b.Seat, b.Reason})
		}
	}
	slices.SortStableFunc(s.seats, func(a, b blamedSeat) int { return a.seat - b.seat })
	s.seats = slices.CompactFunc(s.seats, func(a, b blamedSeat) bool { return a.seat == b.seat })
	for _, blamed := range s.seats {
		for k := range response.SeatBid[blamed.seat].Bid {
			s.bids = append(s.bids, RemovedBid{blamed.seat, k, blamed.reason})
		}
	}
}

// hidesBids reports whether the response may have bids that its next reader sees and we do not: in
// another copy of a key, or below one in another letter case. Where the rules about these refuse,
// they have said where they are.
func (w *Worker) hidesBids(j *responseJudge) bool {
	notes := w.in.checker.ResponseNotes()
	hidden := func(note wire.Notes, rule string) bool {
		_, severity := j.reason(rule)
		return notes&note != 0 && severity != Refuse
	}
	return hidden(wire.NoteDuplicateKey, "any.duplicate-key") || hidden(wire.NoteKeyCase, "any.key-case")
}
