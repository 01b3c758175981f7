package inspect

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// This file looks for payloads in responses, where markup is the advertisement.

// harmlessInMarkup are patterns that are ordinary in the markup of advertisements and in the
// scripts that they bring: elements, handlers of events, calls of functions, templates of
// libraries, relative addresses, words that slogans have. What is left is of use in attacks alone.
var harmlessInMarkup = []string{
	"xss.*", "url.javascript", "url.vbscript", "url.livescript", "url.data-*",
	"sqli.union-*", "sqli.sleep", "sqli.version", "sqli.shutdown", "sqli.insert-into", "sqli.delete-from", "sqli.benchmark-*",
	"template.config", "template.constructor", "template.erb", "template.nested-lookup",
	"command.traversal", "command.curl-flags", "command.curl", "command.wget", "command.ls", "command.cmd-exe",
}

// harmlessInURLs are the ones that a query can have: ?download=1.
var harmlessInURLs = []string{"xss.on*", "xss.srcdoc"}

// patternSet is a scanner with the reasons of its patterns.
type patternSet struct {
	*payload.Scanner
	ids []string // without the prefix of responses
}

func newPatternSet(nested int, wanted func(id string) bool) patternSet {
	o := payload.Options{Nested: nested}
	s := patternSet{}
	for _, p := range payload.Default() {
		if wanted(p.ID) {
			o.Patterns = append(o.Patterns, p)
			s.ids = append(s.ids, payloadPrefix+p.ID)
		}
	}
	var err error
	if s.Scanner, err = payload.New(o); err != nil {
		panic(err) // the patterns are constants
	}
	return s
}

// responseSets are the patterns that are looked for in whole responses, in strings that are not
// markup, and in URLs. They have no layers: addresses in markup are percent-encoded. The first one
// looks into strings of JSON, which native advertisements are. Compiling them takes some tens of
// milliseconds.
var responseSets = sync.OnceValue(func() (sets struct{ everywhere, plain, urls patternSet }) {
	in := func(list []string, id string) bool {
		return slices.ContainsFunc(list, func(pattern string) bool { ok, _ := path.Match(pattern, id); return ok })
	}
	sets.everywhere = newPatternSet(1, func(id string) bool { return !in(harmlessInMarkup, id) })
	sets.plain = newPatternSet(0, func(id string) bool { return in(harmlessInMarkup, id) })
	sets.urls = newPatternSet(0, func(id string) bool { return in(harmlessInMarkup, id) && !in(harmlessInURLs, id) })
	return sets
})

// searchResponse looks for payloads.
func (w *Worker) searchResponse(j *responseJudge, body []byte, response *openrtb.BidResponse, s *answerState) {
	set := responseSets().everywhere
	matches, verdict := set.Scan(w.answer.matches[:0], body)
	w.answer.matches = matches
	switch verdict {
	case payload.Found:
		w.searchBids(j, body, response, s)
	case payload.Exhausted:
		r, severity := j.reason(payloadBudget)
		s.report(r, severity, "", -1, r.Text)
	}
	w.searchStrings(j, body, response, s)
}

// searchBids searches the bids of a response one by one, and what is around them: a scan finds each
// pattern once.
func (w *Worker) searchBids(j *responseJudge, body []byte, response *openrtb.BidResponse, s *answerState) {
	set := responseSets().everywhere
	var remove []wire.Edit
	for i := range response.SeatBid {
		for k := range response.SeatBid[i].Bid {
			remove = append(remove, wire.Remove(bidPath(i, k)))
		}
	}
	rest, err := splice.Apply(nil, body, remove...)
	found, err2 := splice.Find(body, "/seatbid/*/bid/*")
	if err != nil || err2 != nil || len(found) != len(remove) { // a copy of a key that was not decoded
		for i := range w.answer.matches {
			j.found(set, &w.answer.matches[i], body, "", 0, s)
		}
		return
	}
	matches, _ := set.Scan(w.answer.matches[:0], rest)
	for i := range matches {
		m := &matches[i]
		r, severity := j.reason(set.ids[m.Pattern])
		place, known := payload.Locate(rest, m.Offset) // with the indexes of seats as they were
		s.report(r, severity, place.Pointer, -1, payloadMessage(m, located{place, known}, r))
	}
	for _, f := range found {
		if s.full() {
			break
		}
		matches, _ = set.Scan(matches[:0], f.Value)
		offset, known := mem.IndexOf(body, f.Value)
		if !known {
			offset = -1
		}
		for i := range matches {
			j.found(set, &matches[i], f.Value, f.Path, offset, s)
		}
	}
	w.answer.matches = matches
}

// found reports a match in a part of a response, which is at a path and an offset.
func (j *responseJudge) found(set patternSet, m *payload.Match, text []byte, path string, offset int, s *answerState) {
	r, severity := j.reason(set.ids[m.Pattern])
	if severity == Off {
		return
	}
	place, known := payload.Locate(text, m.Offset)
	if offset >= 0 {
		offset += m.Offset
	}
	s.report(r, severity, path+place.Pointer, offset, payloadMessage(m, located{place, known}, r))
}

// searchStrings looks for markup in the strings of the specification that are not for it.
func (w *Worker) searchStrings(j *responseJudge, body []byte, response *openrtb.BidResponse, s *answerState) {
	sets := responseSets()
	search := func(set patternSet, seat, bid, index int, field, text string) {
		if text == "" {
			return
		}
		matches, _ := set.Scan(w.answer.matches[:0], w.answer.quoted(text))
		w.answer.matches = matches
		for i := range matches {
			r, severity := j.reason(set.ids[matches[i].Pattern])
			if severity == Off {
				continue
			}
			at := ""
			if bid >= 0 {
				at = bidPath(seat, bid)
			} else if seat >= 0 {
				at = "/seatbid/" + strconv.Itoa(seat)
			}
			if at += "/" + field; index >= 0 {
				at += "/" + strconv.Itoa(index)
			}
			offset := -1
			if len(s.findings) < placesMax {
				offset = offsetOf(body, at)
			}
			s.report(r, severity, at, offset, payloadMessage(&matches[i], located{payload.Place{}, true}, r))
		}
	}
	search(sets.plain, -1, -1, -1, "id", response.ID)
	search(sets.plain, -1, -1, -1, "bidid", response.BidID)
	search(sets.plain, -1, -1, -1, "customdata", response.CustomData)
	for i := range response.SeatBid {
		search(sets.plain, i, -1, -1, "seat", response.SeatBid[i].Seat)
		for k := range response.SeatBid[i].Bid {
			if s.full() {
				return
			}
			b := &response.SeatBid[i].Bid[k]
			for _, f := range [...]struct{ name, text string }{
				{"id", b.ID}, {"impid", b.ImpID}, {"adid", b.AdID}, {"bundle", b.Bundle}, {"cid", b.CID}, {"crid", b.CrID},
				{"tactic", b.Tactic}, {"language", b.Language}, {"langb", b.LangB}, {"dealid", b.DealID},
			} {
				search(sets.plain, i, k, -1, f.name, f.text)
			}
			for _, f := range [...]struct{ name, text string }{{"nurl", b.NURL}, {"burl", b.BURL}, {"lurl", b.LURL}, {"iurl", b.IURL}} {
				search(sets.urls, i, k, -1, f.name, f.text)
			}
			for n, text := range b.ADomain {
				search(sets.plain, i, k, n, "adomain", text)
			}
			for n, text := range b.Cat {
				search(sets.plain, i, k, n, "cat", text)
			}
		}
	}
}

// placesMax is how many findings about strings get an offset: each takes a walk through the text.
const placesMax = 10

// quoted returns a string as JSON has it, as far as patterns are concerned. The result is valid
// until the next call.
func (a *answer) quoted(text string) []byte {
	if strings.IndexByte(text, '"') < 0 && strings.IndexByte(text, '\\') < 0 {
		return mem.Bytes(text)
	}
	b := append(a.text[:0], '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	a.text = append(b, '"')
	return a.text
}

// offsetOf returns where a value is, -1 if it can't be found.
func offsetOf(body []byte, path string) int {
	found, err := splice.Find(body, path)
	if err != nil || len(found) != 1 {
		return -1
	}
	if offset, known := mem.IndexOf(body, found[0].Value); known {
		return offset
	}
	return -1
}
