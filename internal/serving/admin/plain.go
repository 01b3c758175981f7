package admin

import (
	"cmp"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
	"github.com/rtbwire/rtbwire/internal/verdictchange"
)

// The page without a script: what the other one shows but plots. It reloads every few seconds.

//go:embed plain.html
var plainHTML string

var plainPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("plain").Funcs(template.FuncMap{
		"count": count, "size": size, "each": each, "percent": percent, "moment": moment, "span": span, "ago": func(now, at time.Time) string {
			if at.IsZero() {
				return none
			}
			return span(now.Sub(at).Seconds())
		},
		"only":    func(partner string) string { return "/plain?" + url.Values{"partner": {partner}}.Encode() },
		"sumOf":   func(m map[string]float64, names ...string) float64 { return numbers(m).sum("", names...) },
		"refused": func(m map[string]float64) float64 { return numbers(m).sum("", objections...) },
		"all":     func(m map[string]float64) float64 { return numbers(m).sum("", bidStatuses...) },
		"reasons": newReasonTable, "judged": judgedBy, "differ": differing, "change": changeText,
		"shares": shares, "several": func(u upstreamRow) bool { return len(u.Addresses) > 1 || !u.Healthy && len(u.Addresses) > 0 },
		"fileState": fileState, "addressState": addressState, "upstreamState": upstreamState, "finding": firstFinding, "short": shortSum,
	}).Parse(plainHTML))
})

// plain answers with the page.
func (s *Server) plain(w http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	q.since = s.history.count() // it has no plots
	d := s.document(q)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = plainPage().Execute(w, d) // whoever asked is gone
}

// reasonTable is a table of reasons.
type reasonTable struct {
	Title string
	Rows  []reasonRow
	Would bool // it has a column of what would be refused
}

func newReasonTable(title string, rows []reasonRow) reasonTable {
	return reasonTable{title, rows, slices.ContainsFunc(rows, func(r reasonRow) bool { return r.WouldRefuse > 0 })}
}

// judgedBy is how many requests a candidate has judged, and differing how many of them differently.
func judgedBy(requests map[string]float64) (sum float64) {
	for _, n := range requests {
		sum += n
	}
	return sum
}

func differing(requests map[string]float64) float64 {
	return judgedBy(requests) - requests[verdictchange.Same.String()]
}

// changeTexts are what a candidate would change.
var changeTexts = map[string]string{
	verdictchange.ToRefuse.String(): "refuses, forwarded now", verdictchange.ToForward.String(): "forwards, refused now",
	verdictchange.OtherReason.String(): "refuses for another reason", verdictchange.ObservedRefuse.String(): "would refuse, observed only",
	verdictchange.ObservedForward.String(): "would forward, observed only",
}

func changeText(change string) string { return cmp.Or(changeTexts[change], change) }

// shares is the part of the requests that an upstream gets.
func shares(u upstreamRow) string {
	sum := 0.0
	for i := range u.Addresses {
		sum += u.Addresses[i].Share
	}
	if len(u.Addresses) == 0 {
		return none
	}
	return percent(sum, 1)
}

// stated is a state with its text.
type stated struct{ State, Text string }

func fileState(f followed.Row) stated {
	switch {
	case f.Error != "":
		return stated{stateBad, "not loaded again"}
	case f.Old:
		return stated{stateBad, "too old"}
	case f.Problem != "":
		return stated{stateWarn, "incomplete"}
	}
	return stated{stateGood, "in use"}
}

func upstreamState(u upstreamRow) stated {
	switch {
	case u.Drained:
		return stated{stateWarn, "drained"}
	case u.Healthy:
		return stated{stateGood, "healthy"}
	}
	return stated{stateBad, "failing"}
}

// addressTexts are what the states of addresses mean.
var addressTexts = map[string]stated{
	"healthy": {stateGood, "healthy"}, balance.Warming: {stateGood, "slow start"}, "open": {stateBad, "left alone"},
	"ejected": {stateBad, "ejected"}, "failing": {stateBad, "fails its checks"},
}

func addressState(a balance.AddressDetail) stated {
	is := addressTexts[a.State]
	if !a.Until.IsZero() {
		is.Text += " until " + a.Until.UTC().Format(time.TimeOnly)
	}
	return is
}

// firstFinding is the finding that decided, or the first one.
func firstFinding(r rejects.Reject) *rejects.Finding {
	for i := range r.Findings {
		if r.Findings[i].ID == r.Reason {
			return &r.Findings[i]
		}
	}
	if len(r.Findings) > 0 {
		return &r.Findings[0]
	}
	return nil
}

// sumShort is how many digits of a sum people compare.
const sumShort = 12

func shortSum(sum string) string { return sum[:min(len(sum), sumShort)] }
