package policytest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
)

// Difference is where a verdict is not the expected one.
type Difference struct {
	// What names the expectation: "action", "shadow.findings".
	What            string
	Expected, Found string
}

// none is what empty lists and texts are shown as.
const none = "(none)"

// Run judges the request of a case and returns the differences from what is expected.
func (c *Case) Run(w *inspect.Worker) []Difference {
	v := w.Inspect(c.Request, c.Facts)
	cmp := &comparison{}
	cmp.decision("", &c.Expect.Decision, &v)
	if c.Expect.Observed != nil {
		full := enforced(v)
		cmp.decision("observed.", c.Expect.Observed, &full)
	}
	if c.Expect.Shadow != nil {
		shadow := v.Shadow
		if shadow == nil { // nothing is in shadow for this request
			shadow = &v
		}
		cmp.decision("shadow.", c.Expect.Shadow, shadow)
	}
	cmp.result(&c.Expect, &v, c.Request)
	return cmp.differences
}

// enforced returns the verdict that would be if everything was enforced.
func enforced(v inspect.Verdict) inspect.Verdict {
	o := v.Observed
	if o == nil {
		return v
	}
	v.Decision = o.Decision
	switch {
	case v.Action == inspect.ActionRefuse:
		v.Scrubs = nil
	case len(o.Scrubs) > 0:
		v.Scrubs = o.Scrubs
	}
	return v
}

type comparison struct{ differences []Difference }

func (c *comparison) differ(what, expected, found string) {
	c.differences = append(c.differences, Difference{what, expected, found})
}

func (c *comparison) equal(what, expected, found string) {
	if expected != found {
		c.differ(what, orNone(expected), orNone(found))
	}
}

func (c *comparison) list(what string, expected, found []string) {
	if !slices.Equal(expected, found) {
		c.differ(what, listText(expected), listText(found))
	}
}

func (c *comparison) decision(prefix string, d *Decision, v *inspect.Verdict) {
	if d.Action != nil {
		expected, found := d.Action.String(), v.Action.String()
		if expected != found && v.Reason != "" {
			found += " (" + v.Reason + ")"
		}
		c.equal(prefix+"action", expected, found)
	}
	if d.Reason != nil {
		c.equal(prefix+"reason", *d.Reason, v.Reason)
	}
	if d.NBR != nil {
		found := fmt.Sprint(int(v.NBR))
		if v.Action == inspect.ActionForward {
			found = ""
		}
		c.equal(prefix+"nbr", fmt.Sprint(*d.NBR), found)
	}
	c.score(prefix, d.Score, v)
	c.findings(prefix, d, v)
	if d.Errors != nil {
		var found []string
		for _, e := range v.Errors {
			found = append(found, e.ID)
		}
		c.list(prefix+"errors", *d.Errors, found)
	}
	if d.Scrubs != nil {
		c.list(prefix+"scrubs", *d.Scrubs, v.Scrubs)
	}
}

func (c *comparison) findings(prefix string, d *Decision, v *inspect.Verdict) {
	var all []string
	for i := range v.Findings {
		if id := v.Findings[i].ID; !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	shown := listText(all)
	if v.Dropped > 0 {
		shown += fmt.Sprintf(", and %d findings that were not kept", v.Dropped)
	}
	if d.Findings != nil {
		var missing []string
		for _, want := range *d.Findings {
			if !slices.ContainsFunc(all, func(id string) bool { return matches(want, id) }) {
				missing = append(missing, want)
			}
		}
		if len(missing) > 0 || len(*d.Findings) == 0 && len(all)+v.Dropped > 0 {
			c.differ(prefix+"findings", listText(missing), shown)
		}
	}
	for _, unwanted := range d.NotFindings {
		for _, id := range all {
			if matches(unwanted, id) {
				c.differ(prefix+"not_findings", "no "+unwanted, id)
			}
		}
	}
}

// result compares the request that goes on.
func (c *comparison) result(e *Expect, v *inspect.Verdict, request []byte) {
	if e.Result == nil && e.ResultValue == nil && len(e.Absent)+len(e.Present) == 0 {
		return
	}
	if v.Action == inspect.ActionRefuse {
		c.differ("result", "a request that goes on", "refuse ("+v.Reason+")")
		return
	}
	out, err := v.Apply(nil, request)
	if err != nil {
		c.differ("result", "a request that goes on", err.Error())
		return
	}
	if e.Result != nil && strings.TrimSpace(*e.Result) != string(bytes.TrimSpace(out)) {
		c.differ("result", strings.TrimSpace(*e.Result), string(bytes.TrimSpace(out)))
	}
	if e.ResultValue != nil && !sameJSON(e.ResultValue, out) {
		c.differ("result", string(e.ResultValue), string(bytes.TrimSpace(out)))
	}
	has, err := found(out, slices.Concat(e.Absent, e.Present))
	if err != nil {
		c.differ("result", "JSON", err.Error())
		return
	}
	for _, path := range e.Absent {
		if has[path] {
			c.differ("absent", path+" is absent", "it is there")
		}
	}
	for _, path := range e.Present {
		if !has[path] {
			c.differ("present", path+" is there", "it is absent")
		}
	}
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

func listText(list []string) string { return orNone(strings.Join(list, ", ")) }
