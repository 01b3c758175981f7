package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// Scores are the fraud scores of requests, in ranges.
type Scores struct {
	// Requests are those that have a score, Suspicious those whose score reaches the threshold of
	// their layers.
	Requests, Suspicious int64
	// Ranges are all scores in rising order: 0, 1 to 9, 10 to 19, ... 90 to 99, 100.
	Ranges []ScoreRange
	// Exact are the numbers of requests by score.
	Exact [fraud.ScoreMax + 1]int64
}

// ScoreRange counts the requests whose score is in a range.
type ScoreRange struct {
	From, To int
	Requests int64
	// Share is the range's, and Above the range's and all higher ones', in percent of the requests
	// that have a score. Width is Share in percent of the most frequent range's.
	Share, Above, Width float64
}

// rangeSize is how many scores a range has.
const rangeSize = 10

// NewScores counts scores by ranges. It returns nil if all of them are 0.
func NewScores(v *batch.Verdicts) *Scores {
	s := &Scores{Suspicious: v.Suspicious, Exact: v.Scores, Ranges: []ScoreRange{{}}}
	for from := 1; from <= fraud.ScoreMax; from = (from/rangeSize + 1) * rangeSize {
		s.Ranges = append(s.Ranges, ScoreRange{From: from, To: min((from/rangeSize+1)*rangeSize-1, fraud.ScoreMax)})
	}
	most := int64(0)
	for i := range s.Ranges {
		r := &s.Ranges[i]
		for _, n := range v.Scores[r.From : r.To+1] {
			r.Requests += n
		}
		s.Requests += r.Requests
		most = max(most, r.Requests)
	}
	if s.Requests == v.Scores[0] {
		return nil
	}
	above := int64(0)
	for i := len(s.Ranges) - 1; i >= 0; i-- {
		r := &s.Ranges[i]
		above += r.Requests
		r.Share, r.Above, r.Width = s.percent(r.Requests), s.percent(above), 100*float64(r.Requests)/float64(most)
	}
	return s
}

// percent returns a number as a share of the requests.
func (s *Scores) percent(n int64) float64 { return 100 * float64(n) / float64(s.Requests) }

// SuspiciousShare is the share of the requests whose score reaches the threshold, in percent.
func (s *Scores) SuspiciousShare() float64 { return s.percent(s.Suspicious) }

// Name is what a range is called: "0", "10 to 19".
func (r *ScoreRange) Name() string {
	if r.From == r.To {
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d to %d", r.From, r.To)
}

// barMax is how long a bar of the text format is, in characters.
const barMax = 20

// eighths are the parts of a character that a bar ends with.
var eighths = [8]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// bar draws a width in percent. What is more than 0 is visible.
func bar(width float64) string {
	n := int(width * barMax * float64(len(eighths)) / 100)
	if n == 0 && width > 0 {
		n = 1
	}
	return strings.Repeat("█", n/len(eighths)) + eighths[n%len(eighths)]
}

// scoreTable has a line for each range of scores.
func scoreTable(s *Summary, o Options) string {
	if s.Verdicts == nil || s.Verdicts.Scores == nil {
		return ""
	}
	scores := s.Verdicts.Scores
	tab := newTable(o, table.Row{"fraud score", "requests", "share", "this or more", ""}, 2, 3, 4)
	for i := range scores.Ranges {
		r := &scores.Ranges[i]
		tab.AppendRow(table.Row{r.Name(), grouped(r.Requests), share(r.Share) + "%", share(r.Above) + "%", bar(r.Width)})
	}
	tab.AppendFooter(table.Row{"suspicious", grouped(scores.Suspicious), share(scores.SuspiciousShare()) + "%", "", ""})
	return tab.Render() + "\n"
}

// append appends how many requests have each score.
func (s *Scores) append(o *object) {
	o.open("scores", '[')
	for score, n := range s.Exact {
		if n == 0 {
			continue
		}
		o.open("", '{')
		o.int("score", int64(score))
		o.int("requests", n)
		o.close('}')
	}
	o.close(']')
	o.int("suspicious", s.Suspicious)
}
