package explain

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/scoring"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// styles are the escape sequences of a terminal, by the word that they are for.
var styles = map[string]string{
	"refuse": "\x1b[1;31m", "warn": "\x1b[1;33m", "observe": "\x1b[36m", "forward": "\x1b[1;32m", "^": "\x1b[1;31m",
}

// styled returns a word in its style, if there are styles.
func (e *explanation) styled(word string) string { return e.styledAs(word, word) }

// styledAs returns a text in the style of a word.
func (e *explanation) styledAs(word, text string) string {
	if !e.color {
		return text
	}
	return styles[word] + text + "\x1b[0m"
}

// writeText prints the verdict for people.
func (e *explanation) writeText(w io.Writer) error {
	var b bytes.Buffer
	v := e.verdict
	fmt.Fprintf(&b, "%s: %s\n", report.Visible(e.file), e.styled(v.Action.String()))
	if v.Action == inspect.ActionRefuse {
		fmt.Fprintf(&b, "  reason  %s\n  nbr     %d (%s)\n", v.Reason, int(v.NBR), inspect.NoBidReasonText(v.NBR))
	}
	if e.config != "" {
		fmt.Fprintf(&b, "  config  %s\n", report.Visible(e.config))
	}
	fmt.Fprintf(&b, "  preset  %s\n", e.preset)
	if e.score.Threshold > 0 { // some signal is on, and the request was scored
		fmt.Fprintf(&b, "  score   %d, %s\n", v.Score, scoring.Against(&e.score))
	}
	if len(v.Scrubs) > 0 {
		fmt.Fprintf(&b, "  scrubs  %s\n", strings.Join(v.Scrubs, ", "))
	}
	observed(&b, v)
	if s := v.Shadow; s != nil {
		fmt.Fprintf(&b, "  shadow  %s\n", strings.TrimSpace(s.Action.String()+" "+s.Reason))
	}
	e.bids(&b)
	for _, failed := range v.Errors {
		fmt.Fprintf(&b, "  error   %s: %s\n", failed.ID, strings.TrimPrefix(failed.Err.Error(), "condition: "))
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Inspector != inspect.InspectorFraud || f.ID == "fraud.score" { // signals are in the table of the score
			e.finding(&b, f)
		}
	}
	e.scores(&b)
	fmt.Fprintf(&b, "\n%s\n", total(v))
	if hint := hint(v); hint != "" {
		fmt.Fprintf(&b, "%s\n", hint)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// observed prints what of the verdict is only observed, and what is missed by that.
func observed(b *bytes.Buffer, v *inspect.Verdict) {
	o := v.Observed
	if o == nil {
		return
	}
	var parts []string
	if o.Refusals {
		parts = append(parts, "outside of the share that is enforced")
	}
	if len(o.Scrubs) > 0 {
		parts = append(parts, "would scrub "+strings.Join(o.Scrubs, ", "))
	}
	if would := v.WouldRefuse(); would.Action == inspect.ActionRefuse {
		parts = append(parts, fmt.Sprintf("would refuse for %s, nbr %d", would.Reason, int(would.NBR)))
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  enforce %s\n", strings.Join(parts, "; "))
	}
}

// finding prints a finding and marks its place.
func (e *explanation) finding(b *bytes.Buffer, f *inspect.Finding) {
	fmt.Fprintf(b, "\n%s %s", e.styled(f.Severity.String()), f.ID)
	switch {
	case f.Path != "":
		fmt.Fprintf(b, " at %s", report.Visible(f.Path))
	case f.Offset >= 0: // otherwise it is about the whole document
		b.WriteString(" at the root")
	}
	if f.Offset >= 0 {
		fmt.Fprintf(b, " %s", e.position(f.Offset))
	}
	fmt.Fprintf(b, "\n  %s\n", f.Message)
	if f.Offset >= 0 && e.excerpts {
		for _, line := range e.excerpt(f.Offset) {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// excerpt returns the lines that mark an offset.
func (e *explanation) excerpt(offset int) []string {
	shown, width := excerpt(e.text, offset)
	return []string{"| " + shown, "| " + strings.Repeat(" ", width) + e.styled("^")}
}

// offset returns where a finding is, -1 if it has no place. Findings of fraud have paths alone.
func (e *explanation) offset(f *inspect.Finding) int {
	if f.Inspector == inspect.InspectorFraud && f.Path != "" {
		return scoring.Offset(e.text, f.Path)
	}
	return f.Offset
}

// scores prints the table of the score, and the one of the score in shadow if that is another one.
func (e *explanation) scores(b *bytes.Buffer) {
	o := scoring.Options{Title: "score", Style: e.styledAs, Place: func(path string) string { return e.position(scoring.Offset(e.text, path)) }}
	if e.excerpts {
		o.Excerpt = func(path string) []string { return e.excerpt(scoring.Offset(e.text, path)) }
	}
	scoring.Append(b, &e.score, o)
	if e.shadow != nil && !reflect.DeepEqual(*e.shadow, e.score) {
		o.Title = "score if nothing was in shadow"
		scoring.Append(b, e.shadow, o)
	}
}

// position says where an offset is.
func (e *explanation) position(offset int) string {
	line, column := place(e.text, offset)
	return fmt.Sprintf("(line %d, column %d, byte %d)", line, column, offset)
}

// total says how many findings there are.
func total(v *inspect.Verdict) string {
	if len(v.Findings) == 0 {
		return "no findings"
	}
	text := fmt.Sprintf("findings: %d refuse, %d warn, %d observe", v.Counts[inspect.Refuse], v.Counts[inspect.Warn], v.Counts[inspect.Observe])
	if v.Dropped > 0 {
		text += fmt.Sprintf("; %d of them are not shown, --max-findings sets how many are", v.Dropped)
	}
	return text
}

// hint says what to read or to run next.
func hint(v *inspect.Verdict) string {
	rule, found := strings.CutPrefix(v.Reason, "schema.")
	if !found {
		if rule, found = strings.CutPrefix(v.Reason, "response."); found {
			_, found = schema.RuleByID(rule)
		}
	}
	if found {
		return fmt.Sprintf("rtbwire check --explain %s describes the rule", rule)
	}
	if v.Reason == "fraud.score" {
		return "docs/fraud.md explains every signal, and how to tune weights and threshold"
	}
	if v.Reason == "json.trailing" {
		return "explain takes one document; rtbwire check takes files of many"
	}
	return ""
}
