package inspect

import (
	"sync"

	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// This file looks for payloads in responses, where markup is the advertisement.

// harmlessInMarkup are patterns that are ordinary in the markup of advertisements and in the scripts that they bring:
// elements, handlers of events, calls of functions, templates of libraries, relative addresses,
// words that slogans have. What is left is of use in attacks alone.
var harmlessInMarkup = []string{
	"xss.*", "url.javascript", "url.vbscript", "url.livescript", "url.data-*",
	"sqli.union-*", "sqli.sleep", "sqli.version", "sqli.shutdown", "sqli.insert-into", "sqli.delete-from", "sqli.benchmark-*",
	"template.config", "template.constructor", "template.erb", "template.nested-lookup",
	"command.traversal", "command.curl-flags", "command.curl", "command.wget", "command.ls", "command.cmd-exe",
}

// extDepth is how deep in an ext markup is looked for: bidders put advertisements and frames for
// cookies there.
const extDepth = 6

// markupFields are the fields in which markup is ordinary, in a response and in a single bid.
func markupFields(prefixes []string, adm string) (fields []payload.Field) {
	fields = append(fields, payload.Field{Pointer: adm, Harmless: harmlessInMarkup})
	for _, prefix := range prefixes {
		pointer := prefix + "/ext"
		for range extDepth {
			pointer += "/*"
			fields = append(fields, payload.Field{Pointer: pointer, Harmless: harmlessInMarkup})
		}
	}
	return fields
}

// responseScanners search a response, a bid of one, and a response without its bids. They have no
// layers: addresses in markup are percent-encoded, and so are the addresses in them. They look into
// strings of JSON, which native advertisements are.
var responseScanners = sync.OnceValue(func() (scanners struct{ whole, bid, rest *payload.Scanner }) {
	scanner := func(fields []payload.Field) *payload.Scanner {
		s, err := payload.New(payload.Options{Nested: 1, Fields: fields})
		if err != nil {
			panic(err) // the fields are constants of this package
		}
		return s
	}
	const bids = "/seatbid/*/bid/*"
	scanners.whole = scanner(markupFields([]string{"", "/seatbid/*", bids}, bids+"/adm"))
	scanners.bid = scanner(markupFields([]string{""}, "/adm"))
	scanners.rest = scanner(markupFields([]string{"", "/seatbid/*"}, bids+"/adm"))
	return scanners
})

// searchResponse looks for payloads. A response is searched as a whole. If there is one in it, its
// bids are searched one by one, and what is around them: a scan finds each pattern once.
func (w *Worker) searchResponse(j *responseJudge, body []byte, response *openrtb.BidResponse, s *answerState) {
	scanners := responseScanners()
	matches, verdict := scanners.whole.Scan(w.answer.matches[:0], body)
	w.answer.matches = matches
	switch verdict {
	case payload.Clean:
		return
	case payload.Exhausted:
		r, severity := j.reason(payloadBudget)
		s.report(r, severity, "", -1, r.Text)
		return
	}
	var remove []wire.Edit
	for i := range response.SeatBid {
		for k := range response.SeatBid[i].Bid {
			remove = append(remove, wire.Remove(bidPath(i, k)))
		}
	}
	rest, err := splice.Apply(nil, body, remove...)
	found, err2 := splice.Find(body, "/seatbid/*/bid/*")
	if err != nil || err2 != nil || len(found) != len(remove) { // a copy of a key that was not decoded
		j.payload(scanners.whole, matches, body, "", 0, s)
		return
	}
	matches, _ = scanners.rest.Scan(matches[:0], rest)
	for i := range matches {
		r, severity := j.reason(payloadPrefix + scanners.rest.Pattern(matches[i].Pattern).ID)
		place, known := payload.Locate(rest, matches[i].Offset)
		path := place.Pointer
		if seat, _ := elementOf(path, "/seatbid/"); seat < 0 {
			path = "" // indexes of seats are as they were
		}
		s.report(r, severity, path, -1, payloadMessage(&matches[i], located{place, known}, r))
	}
	for _, f := range found {
		matches, _ = scanners.bid.Scan(matches[:0], f.Value)
		offset, known := mem.IndexOf(body, f.Value)
		if !known {
			offset = -1
		}
		j.payload(scanners.bid, matches, f.Value, f.Path, offset, s)
	}
	w.answer.matches = matches[:0]
}

// payload reports what was found in a part of a response, which is at a path and an offset.
func (j *responseJudge) payload(scanner *payload.Scanner, matches []payload.Match, text []byte, path string, offset int, s *answerState) {
	for i := range matches {
		m := &matches[i]
		r, severity := j.reason(payloadPrefix + scanner.Pattern(m.Pattern).ID)
		if severity == Off {
			continue
		}
		place, known := payload.Locate(text, m.Offset)
		at := -1
		if offset >= 0 {
			at = offset + m.Offset
		}
		s.report(r, severity, path+place.Pointer, at, payloadMessage(m, located{place, known}, r))
	}
}
