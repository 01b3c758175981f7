package explain

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/scoring"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/explanation"
)

// styles are the escape sequences of a terminal, by the word that they are for.
var styles = map[string]string{
	"refuse": "\x1b[1;31m", "warn": "\x1b[1;33m", "observe": "\x1b[36m", "forward": "\x1b[1;32m", "^": "\x1b[1;31m",
}

// styled returns a word in its style, if there are styles.
func (e *explained) styled(word string) string { return e.styledAs(word, word) }

// styledAs returns a text in the style of a word.
func (e *explained) styledAs(word, text string) string {
	if !e.color {
		return text
	}
	return styles[word] + text + "\x1b[0m"
}

// writeText prints the verdict for people.
func (e *explained) writeText(w io.Writer) error {
	var b bytes.Buffer
	v := e.Verdict
	fmt.Fprintf(&b, "%s: %s\n", report.Visible(e.File), e.styled(v.Action.String()))
	if v.Action == inspect.ActionRefuse {
		fmt.Fprintf(&b, "  reason  %s\n  nbr     %d (%s)\n", v.Reason, int(v.NBR), inspect.NoBidReasonText(v.NBR))
	}
	if e.Config != "" {
		fmt.Fprintf(&b, "  config  %s\n", report.Visible(e.Config))
	}
	fmt.Fprintf(&b, "  preset  %s\n", e.Preset)
	if e.Score.Threshold > 0 { // some signal is on, and the request was scored
		fmt.Fprintf(&b, "  score   %d, %s\n", v.Score, scoring.Against(&e.Score))
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
func (e *explained) finding(b *bytes.Buffer, f *inspect.Finding) {
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
	if f.Offset >= 0 && e.Excerpts {
		for _, line := range e.excerpt(f.Offset) {
			fmt.Fprintf(b, "  %s\n", line)
		}
	}
}

// excerpt returns the lines that mark an offset.
func (e *explained) excerpt(offset int) []string {
	before, after := explanation.Excerpt(e.Text, offset)
	return []string{"| " + before + after, "| " + strings.Repeat(" ", text.StringWidthWithoutEscSequences(before)) + e.styled("^")}
}

// scores prints the table of the score, and the one of the score in shadow if that is another one.
func (e *explained) scores(b *bytes.Buffer) {
	o := scoring.Options{Title: "score", Style: e.styledAs, Place: func(path string) string { return e.position(explanation.Offset(e.Text, path)) }}
	if e.Excerpts {
		o.Excerpt = func(path string) []string { return e.excerpt(explanation.Offset(e.Text, path)) }
	}
	scoring.Append(b, &e.Score, o)
	if e.Shadow != nil && !reflect.DeepEqual(*e.Shadow, e.Score) {
		o.Title = "score if nothing was in shadow"
		scoring.Append(b, e.Shadow, o)
	}
}

// position says where an offset is.
func (e *explained) position(offset int) string {
	line, column := explanation.LineColumn(e.Text, offset)
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
