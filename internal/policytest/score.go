package policytest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Score is what a fraud score has to be: from Min to Max.
type Score struct {
	Min, Max int
	text     string // as it is written
}

// scoreForm is how scores are written: 60, ">=60".
var scoreForm = regexp.MustCompile(`^(>=|<=|>|<)? *([0-9]{1,3})$`)

// scoreType is the type of a score, or a comparison with one.
var scoreType = setting.Type[*Score]{
	Shape: &setting.Shape{What: `a score such as 60 or ">=60"`},
	Read: func(r *setting.Reader, n *setting.Node) (*Score, bool) {
		match := scoreForm.FindStringSubmatch(n.Text)
		if n.Kind != setting.Scalar || match == nil {
			r.Report(n.Problem("", `expected a score such as 60, or a comparison such as ">=60"`))
			return nil, false
		}
		limit, _ := strconv.Atoi(match[2]) // three digits are a number
		s := &Score{0, fraud.ScoreMax, n.Text}
		switch match[1] {
		case ">=":
			s.Min = limit
		case ">":
			s.Min = limit + 1
		case "<=":
			s.Max = limit
		case "<":
			s.Max = limit - 1
		default:
			s.Min, s.Max = limit, limit
		}
		if s.Min > fraud.ScoreMax || s.Max < 0 {
			r.Report(n.Problem("", "no score is %s: they are from 0 to %d", n.Text, fraud.ScoreMax))
			return nil, false
		}
		s.Max = min(s.Max, fraud.ScoreMax)
		return s, true
	},
}

// score compares the score of a verdict. What is found names the signals.
func (c *comparison) score(prefix string, want *Score, v *inspect.Verdict) {
	if want == nil || v.Score >= want.Min && v.Score <= want.Max {
		return
	}
	found, table := strconv.Itoa(v.Score), fraud.Signals()
	var signals []string
	for _, hit := range v.Signals {
		signals = append(signals, fmt.Sprintf("%s %d", table[hit.Signal].ID, hit.Points))
	}
	if len(signals) > 0 {
		found += " (" + strings.Join(signals, ", ") + ")"
	}
	c.differ(prefix+"score", want.text, found)
}
