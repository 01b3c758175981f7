package schema

import (
	"github.com/rtbwire/rtbwire/internal/seen"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// recorder keeps what the text layer finds in one document: findings, and the nodes of its values.
type recorder struct {
	findings *findings
	d        *docText
	memory   *textMemory
}

// textMemory is the working memory of the text layer.
type textMemory struct {
	reader coder.Reader // of accepted documents
	keys   seen.Groups  // of the objects being read, those that the specification does not have
	folded seen.Groups  // of these the names of the specification that are in another letter case
	inner  []innerStep  // from the member of an object to the value being read inside it
}

// finish drops the text, and memory that is unusually large.
func (m *textMemory) finish() {
	m.keys.Reset()
	m.folded.Reset()
	clear(m.inner)
	if m.inner = m.inner[:0]; cap(m.inner) > keptMax {
		m.inner = nil
	}
	if m.reader.Retained() > keptBytes {
		m.reader.Drop()
	}
}

// find adds a finding at the current path.
func (w *recorder) find(rule ruleID, severity Severity, offset int, message string) {
	switch {
	case severity == Off || w.findings.muted || !w.findings.reserve(severity):
	case w.findings.engine.placeless:
		w.findings.add(rule, severity, "", -1, message)
	default:
		w.findings.add(rule, severity, w.findings.pointer(), offset, message)
	}
}

// report adds a finding at the current path, with the rule's own severity and message.
func (w *recorder) report(rule ruleID, offset int) {
	w.find(rule, w.findings.engine.severity[rule], offset, rules[rule].Message)
}

// openNode begins the node of the value at an offset.
func (w *recorder) openNode(f fieldID, index int32, offset int) int {
	w.d.nodes = append(w.d.nodes, node{field: f, index: index, off: int32(offset)})
	return len(w.d.nodes) - 1
}

// closeNode ends a node. The node opened last is closed first.
func (w *recorder) closeNode(n int) { w.d.nodes[n].next = int32(len(w.d.nodes)) }
