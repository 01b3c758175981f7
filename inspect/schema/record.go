package schema

// recorder keeps what the text layer finds in one document: findings, and the nodes of its values.
type recorder struct {
	c *Checker
	d *docText
}

// find adds a finding at the current path.
func (w *recorder) find(rule ruleID, severity Severity, offset int, message string) {
	switch {
	case severity == Off || w.c.muted || !w.c.room(severity):
	case w.c.engine.placeless:
		w.c.add(rule, severity, "", -1, message)
	default:
		w.c.add(rule, severity, w.c.pointer(), offset, message)
	}
}

// report adds a finding at the current path, with the rule's own severity and message.
func (w *recorder) report(rule ruleID, offset int) {
	w.find(rule, w.c.engine.severity[rule], offset, rules[rule].Message)
}

// openNode begins the node of the value at an offset.
func (w *recorder) openNode(f fieldID, index int32, offset int) int {
	w.d.nodes = append(w.d.nodes, node{field: f, index: index, off: int32(offset)})
	return len(w.d.nodes) - 1
}

// closeNode ends a node. The node opened last is closed first.
func (w *recorder) closeNode(n int) { w.d.nodes[n].next = int32(len(w.d.nodes)) }
