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
	w.answer.search(set, body)
	switch w.answer.scan.verdict {
	case payload.Found:
		w.searchBids(j, body, response, s)
	case payload.Exhausted:
		r, severity := j.reason(payloadBudget)
		s.report(r, severity, "", -1, r.Text)
	}
	w.searchStrings(j, response, s)
	s.findPlaces(body)
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
		j.found(set, &w.answer.scan, body, "", 0, s)
		return
	}
	w.answer.search(set, rest)
	j.found(set, &w.answer.scan, rest, "", -1, s) // with the indexes of seats as they were
	for _, f := range found {
		if s.full() {
			break
		}
		offset, known := mem.IndexOf(body, f.Value)
		if !known {
			offset = -1
		}
		w.answer.search(set, f.Value)
		j.found(set, &w.answer.scan, f.Value, f.Path, offset, s)
	}
}

// search looks for patterns in a text.
func (a *answer) search(set patternSet, text []byte) {
	a.scan.reset()
	a.scan.of(set.Scanner, text)
}

// found reports the matches in a part of a response, which is at a path and an offset; -1 if that
// is not known.
func (j *responseJudge) found(set patternSet, in *scan, text []byte, path string, offset int, s *answerState) {
	for i := range in.matches {
		m := &in.matches[i]
		r, severity := j.reason(set.ids[m.Pattern])
		if severity == Off {
			continue
		}
		at, place := -1, in.place(i, text)
		if offset >= 0 {
			at = offset + m.Offset
		}
		s.report(r, severity, path+place.Pointer, at, payloadMessage(m, place, r))
	}
}

// searchStrings looks for markup in the strings of the specification that are not for it. The first
// findings wait for an offset.
func (w *Worker) searchStrings(j *responseJudge, response *openrtb.BidResponse, s *answerState) {
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
				offset = offsetAwaited
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

const (
	// placesMax is how many findings about strings get an offset.
	placesMax = 10
	// offsetAwaited is the offset of a finding until all are looked for, in one walk.
	offsetAwaited = -2
)

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

// findPlaces fills in the offsets that findings wait for. It is -1 of a value that can't be
// found, or that is there more than once.
func (s *answerState) findPlaces(body []byte) {
	var paths []string
	for i := range s.findings {
		if f := &s.findings[i]; f.Offset == offsetAwaited && !slices.Contains(paths, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	if paths == nil {
		return
	}
	offsets := map[string]int{}
	if found, err := splice.Find(body, paths...); err == nil {
		for _, f := range found {
			_, again := offsets[f.Path]
			offset, known := mem.IndexOf(body, f.Value)
			if offsets[f.Path] = offset; again || !known {
				offsets[f.Path] = -1
			}
		}
	}
	for i := range s.findings {
		f := &s.findings[i]
		if f.Offset != offsetAwaited {
			continue
		}
		f.Offset = -1
		if offset, known := offsets[f.Path]; known {
			f.Offset = offset
		}
	}
}
