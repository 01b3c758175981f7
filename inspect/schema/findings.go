package schema

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// This file collects findings: where they are, which ones are kept, and their paths.

// findings holds what was found in the current documents, and where the check is. Every part of the
// package writes to it.
type findings struct {
	engine *Engine

	found  Report     // so far
	passed [Error]int // by severity: findings that evict has looked at, from the end
	docs   [2]docText // the texts of the request and the response
	doc    Doc        // the one that the current rules are about

	path  []step // from the root to the object being checked
	paths []byte // of findings; written once, see pointer
	muted bool   // report only findings that end the check
	slow  bool   // for tests: every document takes the way of those that the decoder refuses

	indexer *layers // finds places in the text of a decoded value; made when needed
}

// begin takes new documents.
func (f *findings) begin(request, response []byte) {
	f.engine = f.engine.orDefault()
	f.found = Report{Findings: f.found.Findings[:0]}
	f.passed = [Error]int{}
	f.doc = Request
	f.path = f.path[:0]
	f.docs[Request].begin(objBidRequest, request)
	f.docs[Response].begin(objBidResponse, response)
}

// finish releases the documents and sorts the findings by their place in them.
func (f *findings) finish() Report {
	f.docs[Request].finish()
	f.docs[Response].finish()
	sortByPlace(f.found.Findings)
	return f.found
}

// sortByPlace is a stable sort. Most lists are short and nearly in order, and findings are large,
// so they are compared where they are.
func sortByPlace(list []Finding) {
	const short = 32
	if len(list) > short {
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Or(int(a.Doc)-int(b.Doc), a.Offset-b.Offset) })
		return
	}
	before := func(a, b *Finding) bool { return a.Doc < b.Doc || a.Doc == b.Doc && a.Offset < b.Offset }
	for i := 1; i < len(list); i++ {
		if !before(&list[i], &list[i-1]) {
			continue
		}
		to := i - 1
		for to > 0 && before(&list[i], &list[to-1]) {
			to--
		}
		f := list[i]
		copy(list[to+1:i+1], list[to:i])
		list[to] = f
	}
}

// enter and leave maintain the path to the object being checked.
func (f *findings) enter(field fieldID, index int) {
	f.path = append(f.path, step{field, int32(index)})
}
func (f *findings) leave() { f.path = f.path[:len(f.path)-1] }

// report adds a finding about a field of the current object.
func (f *findings) report(rule ruleID, field fieldID) { f.reportElem(rule, field, noIndex) }

// reportHere adds a finding about the current object as a whole. about lists the fields whose
// absence breaks the rule. If one of them has a value that can't be decoded, the text layer has
// reported it, and the rule stays silent.
func (f *findings) reportHere(rule ruleID, about ...fieldID) {
	severity := f.engine.severity[rule]
	if severity == Off {
		return
	}
	if f.docs[f.doc].holes != 0 {
		for _, field := range about {
			f.enter(field, noIndex)
			taken := f.inHole()
			f.leave()
			if taken {
				return
			}
		}
	}
	f.addPath(rule, severity)
}

// reportIn adds a finding about a member of the current object's ext.
func (f *findings) reportIn(ext fieldID, rule ruleID, member fieldID) {
	f.enter(ext, noIndex)
	f.report(rule, member)
	f.leave()
}

// covered reports whether a rule may leave a fault to another one: it may if the other one is
// configured at least as severe.
func (f *findings) covered(rule, by ruleID) bool {
	return f.engine.severity[by] >= f.engine.severity[rule]
}

// reportElem adds a finding about an element of an array field.
func (f *findings) reportElem(rule ruleID, field fieldID, index int) {
	if severity := f.engine.severity[rule]; severity != Off {
		f.enter(field, index)
		f.addPath(rule, severity)
		f.leave()
	}
}

// reportAt adds a finding at a path from the root.
func (f *findings) reportAt(rule ruleID, steps ...step) {
	if severity := f.engine.severity[rule]; severity != Off {
		here := len(f.path)
		all := append(f.path, steps...)
		f.path = all[here:]
		f.addPath(rule, severity)
		f.path = all[:here]
	}
}

// addPath adds a finding at the current path.
func (f *findings) addPath(rule ruleID, severity Severity) {
	if f.docs[f.doc].holes != 0 && f.inHole() {
		return // the text layer has reported the value already
	}
	switch {
	case !f.reserve(severity):
	case f.engine.placeless:
		f.add(rule, severity, "", -1, rules[rule].Message)
	default:
		f.add(rule, severity, f.pointer(), f.locate(), rules[rule].Message)
	}
}

// inHole reports whether the current path leads to or into a value that was taken out.
func (f *findings) inHole() bool {
	d := &f.docs[f.doc]
	return d.nodes[d.find(f.path)].hole
}

// reserve reports whether a finding can be kept. If the report is full it drops a less severe
// finding; if there is none, it counts this one as dropped.
func (f *findings) reserve(severity Severity) bool {
	if len(f.found.Findings) < f.engine.maxFindings || f.evict(severity) {
		return true
	}
	f.found.Counts[severity]++
	f.found.Dropped++
	return false
}

// evict drops the last of the least severe findings if it is less severe than the given one. All
// calls together look at each finding once per severity.
func (f *findings) evict(severity Severity) bool {
	for low := Info; low < severity; low++ {
		for i := len(f.found.Findings) - f.passed[low] - 1; i >= 0; i-- {
			f.passed[low]++
			if f.found.Findings[i].Severity == low {
				last := len(f.found.Findings) - 1
				f.found.Findings[i] = f.found.Findings[last] // evict has seen it; finish sorts
				f.found.Findings = f.found.Findings[:last]
				f.found.Dropped++
				return true
			}
		}
	}
	return false
}

// add keeps a finding. The caller has called reserve.
func (f *findings) add(rule ruleID, severity Severity, path string, offset int, message string) {
	f.found.Counts[severity]++
	f.found.Findings = append(f.found.Findings, Finding{
		ID: rules[rule].ID, Inspector: inspector, Severity: severity, Doc: f.doc, Path: path, Offset: offset, Message: message, Number: uint16(rule),
	})
}

// fatal adds the finding that ends the check of a document. It is kept even beyond the limit of
// findings, because it explains why there are no others.
func (f *findings) fatal(rule ruleID, path string, offset int, message string) {
	severity := f.engine.severity[rule]
	if severity == Off {
		return
	}
	if last := len(f.found.Findings) - 1; last+1 >= f.engine.maxFindings && !f.evict(Error) {
		f.found.Findings = f.found.Findings[:last]
		f.found.Dropped++
	}
	f.add(rule, severity, path, offset, message)
}

// missing reports a nil document.
func (f *findings) missing(doc Doc) {
	f.doc = doc
	f.fatal(ruleJsonSyntax, "", -1, "expected a document, found none")
}

// undecodable reports that the decoder refused a document that the text layer accepted, because
// it exceeds one of the decoder's limits.
func (f *findings) undecodable(doc Doc, err error) {
	f.doc = doc
	rule, offset, message := ruleJsonSyntax, -1, "the document can't be decoded"
	if e := (*wire.Error)(nil); errors.As(err, &e) {
		offset = f.docs[f.doc].original(e.Offset)
		switch e.Code {
		case wire.CodeSize, wire.CodeElements, wire.CodeMemory:
			rule, message = ruleJsonLimit, rules[ruleJsonLimit].Message
		}
	}
	f.fatal(rule, "", offset, message)
}

// pathsSize is how many bytes of paths share memory. A path that is kept keeps so many.
const pathsSize = 1 << 10

// pointer renders the path as a JSON Pointer. Field names need no escaping. The text is part of a
// larger piece of memory, which is written once: most findings have a path.
func (f *findings) pointer() string {
	const most = 128 // the longest paths of the specification fit
	if cap(f.paths)-len(f.paths) < most {
		f.paths = make([]byte, 0, pathsSize)
	}
	start := len(f.paths)
	b := f.paths
	for _, s := range f.path {
		b = append(append(b, '/'), fields[s.field].name...)
		if s.index >= 0 {
			b = strconv.AppendInt(append(b, '/'), int64(s.index), 10)
		}
	}
	f.paths = b
	return mem.String(b[start:len(b):len(b)])
}
