package schema

import (
	"strconv"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// This file collects findings: where they are, which ones are kept, and their paths.

// enter and leave maintain the path to the object being checked.
func (c *Checker) enter(f fieldID, index int) { c.path = append(c.path, step{f, int32(index)}) }
func (c *Checker) leave()                     { c.path = c.path[:len(c.path)-1] }

// report adds a finding about a field of the current object.
func (c *Checker) report(rule ruleID, f fieldID) { c.reportElem(rule, f, noIndex) }

// reportHere adds a finding about the current object as a whole. about lists the fields whose
// absence breaks the rule. If one of them has a value that can't be decoded, the text layer has
// reported it, and the rule stays silent.
func (c *Checker) reportHere(rule ruleID, about ...fieldID) {
	severity := c.engine.severity[rule]
	if severity == Off {
		return
	}
	if c.docs[c.doc].holes != 0 {
		for _, f := range about {
			c.enter(f, noIndex)
			taken := c.inHole()
			c.leave()
			if taken {
				return
			}
		}
	}
	c.addPath(rule, severity)
}

// covered reports whether a rule may leave a fault to another one: it may if the other one is
// configured at least as severe.
func (c *Checker) covered(rule, by ruleID) bool {
	return c.engine.severity[by] >= c.engine.severity[rule]
}

// reportElem adds a finding about an element of an array field.
func (c *Checker) reportElem(rule ruleID, f fieldID, index int) {
	if severity := c.engine.severity[rule]; severity != Off {
		c.enter(f, index)
		c.addPath(rule, severity)
		c.leave()
	}
}

// reportAt adds a finding at a path from the root.
func (c *Checker) reportAt(rule ruleID, steps ...step) {
	if severity := c.engine.severity[rule]; severity != Off {
		here := len(c.path)
		all := append(c.path, steps...)
		c.path = all[here:]
		c.addPath(rule, severity)
		c.path = all[:here]
	}
}

// addPath adds a finding at the current path.
func (c *Checker) addPath(rule ruleID, severity Severity) {
	if c.docs[c.doc].holes != 0 && c.inHole() {
		return // the text layer has reported the value already
	}
	switch {
	case !c.room(severity):
	case c.engine.placeless:
		c.add(rule, severity, "", -1, rules[rule].Message)
	default:
		c.add(rule, severity, c.pointer(), c.locate(), rules[rule].Message)
	}
}

// inHole reports whether the current path leads to or into a value that was taken out.
func (c *Checker) inHole() bool {
	d := &c.docs[c.doc]
	return d.nodes[d.find(c.path)].hole
}

// room reports whether a finding can be kept. It makes room by dropping a less severe finding,
// and counts a finding that has to be dropped itself.
func (c *Checker) room(severity Severity) bool {
	if len(c.found.Findings) < c.engine.maxFindings || c.evict(severity) {
		return true
	}
	c.found.Counts[severity]++
	c.found.Dropped++
	return false
}

// evict drops the last of the least severe findings if it is less severe than the given one. All
// calls together look at each finding once per severity.
func (c *Checker) evict(severity Severity) bool {
	for low := Info; low < severity; low++ {
		for i := len(c.found.Findings) - c.passed[low] - 1; i >= 0; i-- {
			c.passed[low]++
			if c.found.Findings[i].Severity == low {
				last := len(c.found.Findings) - 1
				c.found.Findings[i] = c.found.Findings[last] // evict has seen it; finish sorts
				c.found.Findings = c.found.Findings[:last]
				c.found.Dropped++
				return true
			}
		}
	}
	return false
}

// add keeps a finding. The caller has checked that there is room.
func (c *Checker) add(rule ruleID, severity Severity, path string, offset int, message string) {
	c.found.Counts[severity]++
	c.found.Findings = append(c.found.Findings, Finding{
		ID: rules[rule].ID, Severity: severity, Doc: c.doc, Path: path, Offset: offset, Message: message, rule: rule,
	})
}

// fatal adds the finding that ends the check of a document. It is kept even beyond the limit of
// findings, because it explains why there are no others.
func (c *Checker) fatal(rule ruleID, path string, offset int, message string) {
	severity := c.engine.severity[rule]
	if severity == Off {
		return
	}
	if last := len(c.found.Findings) - 1; last+1 >= c.engine.maxFindings && !c.evict(Error) {
		c.found.Findings = c.found.Findings[:last]
		c.found.Dropped++
	}
	c.add(rule, severity, path, offset, message)
}

// pathsSize is how many bytes of paths share memory. A path that is kept keeps so many.
const pathsSize = 1 << 10

// pointer renders the path as a JSON Pointer. Field names need no escaping. The text is part of a
// larger piece of memory, which is written once: most findings have a path.
func (c *Checker) pointer() string {
	const most = 128 // the longest paths of the specification fit
	if cap(c.paths)-len(c.paths) < most {
		c.paths = make([]byte, 0, pathsSize)
	}
	start := len(c.paths)
	b := c.paths
	for _, s := range c.path {
		b = append(append(b, '/'), fields[s.field].name...)
		if s.index >= 0 {
			b = strconv.AppendInt(append(b, '/'), int64(s.index), 10)
		}
	}
	c.paths = b
	return mem.String(b[start:len(b):len(b)])
}
