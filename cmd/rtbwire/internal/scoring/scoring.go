// Package scoring prints the breakdown of a fraud score as a table. Verbs that explain
// a verdict share it. Package inspect/fraud decides.
package scoring

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// Options say how a table is written.
type Options struct {
	// Title is what the table is called.
	Title string
	// Place says where a path is, and Excerpt returns lines that show it. They may be nil.
	Place   func(path string) string
	Excerpt func(path string) []string
	// Style returns a text in the style of a terminal that a word has: "forward", "warn", "refuse".
	Style func(word, text string) string
}

// The widths of the table.
const (
	lineMax = 80 // characters of a line, excerpts aside
	points  = 8  // the column of points
	indent  = points + 2
)

// Append appends a table to b: a row for each signal, what families add up to, and the score
// against the threshold. It appends nothing for a score without signals.
func Append(b *bytes.Buffer, s *inspect.Scoring, o Options) {
	if len(s.Signals) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n%*s  signal\n", o.Title, points, "points")
	for i := range s.Signals {
		o.signal(b, &s.Signals[i])
	}
	rule := strings.Repeat("-", len("points"))
	fmt.Fprintf(b, "%*s\n", points, rule)
	sum := 0
	for _, f := range s.Families {
		text := f.Name
		if f.Counts < f.Points {
			text += fmt.Sprintf(": %d, of which at most %d count", f.Points, f.Counts)
		}
		fmt.Fprintf(b, "%*d  %s\n", points, f.Counts, text)
		sum += f.Counts
	}
	of := ""
	if sum > fraud.ScoreMax {
		of = fmt.Sprintf(" (%d, at most %d)", sum, fraud.ScoreMax)
	}
	fmt.Fprintf(b, "%*s\n%*d  score%s: %s\n", points, rule, points, s.Score, of, o.against(s))
}

// Against says in a few words how a score compares with the threshold.
func Against(s *inspect.Scoring) string {
	if s.Score >= s.Threshold {
		return fmt.Sprintf("reaches the threshold %d", s.Threshold)
	}
	return fmt.Sprintf("below the threshold %d", s.Threshold)
}

func (o *Options) against(s *inspect.Scoring) string {
	word := "forward"
	if s.Score >= s.Threshold {
		word = "warn"
	}
	return o.styled(word, Against(s))
}

func (o *Options) styled(word, text string) string {
	if o.Style == nil {
		return text
	}
	return o.Style(word, text)
}

// signal writes the row of a signal.
func (o *Options) signal(b *bytes.Buffer, s *inspect.ScoredSignal) {
	text := s.Signal.ID
	if s.Path != "" {
		text += " at " + report.Visible(s.Path)
		if o.Place != nil {
			text += " " + o.Place(s.Path)
		}
	}
	id := s.Signal.ID
	head := strings.Replace(wrap(text), id, o.styled(s.Severity.String(), id), 1)
	fmt.Fprintf(b, "%*d  %s\n", points, s.Points, head)
	fmt.Fprintf(b, "%*s%s\n", indent, "", wrap(s.Signal.Text))
	if s.Path != "" && o.Excerpt != nil {
		for _, line := range o.Excerpt(s.Path) {
			fmt.Fprintf(b, "%*s%s\n", indent, "", line)
		}
	}
}

// wrap breaks a text between words, so that lines have at most lineMax characters with the
// indentation, which all lines but the first get.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(text) {
		n := len([]rune(word))
		switch {
		case width == 0:
		case indent+width+1+n > lineMax:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}
