package admin

import (
	_ "embed"
	"html/template"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// The page of a source other than a gateway: its metrics in a table, and the last refused requests.
// It needs no script, and reloads every few seconds.

//go:embed plain.html
var plainHTML string

var plainPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("plain").Parse(plainHTML)) })

// plain is what the page shows.
type plain struct {
	Now, Started  time.Time
	Version       string
	Ready         bool
	Configuration rejects.Configuration
	Warnings      []string // the notices
	Rows          []plainRow
	Files         []followed.Row
	Rejects       []rejects.Reject
}

// plainRow is one number.
type plainRow struct{ Name, Labels, Value string }

// plainRowsMax is how many numbers the page has.
const plainRowsMax = 500

// addPlain adds the page.
func (s *Server) addPlain(mux *http.ServeMux, registry *prometheus.Registry) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		p := plain{
			Now: time.Now().UTC().Truncate(time.Second), Started: s.started.UTC().Truncate(time.Second), Version: s.options.Version,
			Ready: s.source.Ready(), Configuration: s.source.Configuration(), Rejects: s.source.Rejects(),
			Files: followed.Rows(s.files(), time.Now()),
		}
		families, err := registry.Gather()
		if err != nil {
			s.options.Logger.Error("metrics can't be read", slog.Any("error", err))
		}
		p.Rows = plainRows(families, s.options.Plain)
		s.history.refresh()
		for _, n := range s.notices(s.history.samples()) {
			p.Warnings = append(p.Warnings, strings.TrimSpace(n.Text+" "+n.Detail))
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = plainPage().Execute(w, p) // whoever asked is gone
	})
}

// plainRows are the metrics whose names begin with a prefix.
func plainRows(families []*dto.MetricFamily, prefix string) (rows []plainRow) {
	for _, f := range families {
		name, ours := strings.CutPrefix(f.GetName(), prefix)
		if !ours {
			continue
		}
		for _, m := range f.GetMetric() {
			row := plainRow{Name: name, Labels: plainLabels(m.GetLabel())}
			switch h := m.GetHistogram(); {
			case h != nil:
				row.Name += ", mean"
				row.Value = "-"
				if n := h.GetSampleCount(); n > 0 {
					row.Value = plainNumber(h.GetSampleSum() / float64(n))
				}
			default:
				row.Value = plainNumber(m.GetCounter().GetValue() + m.GetGauge().GetValue()) // one of which is missing
			}
			if rows = append(rows, row); len(rows) == plainRowsMax {
				return rows
			}
		}
	}
	return rows
}

func plainLabels(labels []*dto.LabelPair) string {
	var list []string
	for _, l := range labels {
		list = append(list, l.GetName()+"="+l.GetValue())
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// plainNumber writes a number for people.
func plainNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
