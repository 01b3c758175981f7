package demo

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/rtbwire/rtbwire/internal/traffic/replay"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// summary is what became of a round. Its form in JSON is an interface: names may be added; those
// that are here stay.
type summary struct {
	Sent     int64              `json:"sent"`
	Seconds  float64            `json:"seconds"`
	Rate     float64            `json:"rate"`     // answers a second
	Statuses map[int]int64      `json:"statuses"` // of answers
	Failed   int64              `json:"failed"`   // requests without an answer, or with a status from 500 on
	Planted  map[string]outcome `json:"planted"`
	Outcomes map[string]int     `json:"outcomes"` // as the gateway counts them
	Refused  map[string]int     `json:"refused"`  // by reason
	Latency  map[string]float64 `json:"latency_ms"`
	Invalid  string             `json:"invalid,omitempty"` // why the latencies measure this machine, not the gateway
	Gateway  struct {
		InspectMicros  float64 `json:"inspect_micros"` // from the last byte to the verdict
		UpstreamMicros float64 `json:"upstream_micros"`
		CPUMicros      float64 `json:"cpu_micros"` // of a request
		ResidentMiB    float64 `json:"resident_mib"`
	} `json:"gateway"`
	Page string `json:"page"`
}

var quantiles = []struct {
	name  string
	value float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}}

// summarize puts together what sender, gateway and core have counted.
func summarize(result *replay.Result, m metrics, planted map[string]outcome, page string) *summary {
	t := &result.Target
	s := &summary{
		Sent: t.Sent, Seconds: result.Elapsed.Seconds(), Rate: t.Rate, Statuses: t.Statuses, Failed: t.Failed() + t.ServerErrors(),
		Planted: planted, Outcomes: m.by("rtbwire_gateway_requests_total", "request_status"), Refused: m.by("rtbwire_gateway_rejected_total", "reason"),
		Latency: map[string]float64{}, Invalid: result.Invalid, Page: page,
	}
	for _, q := range quantiles {
		s.Latency[q.name] = float64(t.Latency.Quantile(q.value)) / float64(time.Millisecond)
	}
	micros := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	s.Gateway.InspectMicros = micros(m.mean("rtbwire_gateway_stage_time_seconds", "stage", "inspect"))
	s.Gateway.UpstreamMicros = micros(m.mean("rtbwire_gateway_stage_time_seconds", "stage", "upstream"))
	if t.Answered > 0 {
		s.Gateway.CPUMicros = m.number("process_cpu_seconds_total") * 1e6 / float64(t.Answered)
	}
	s.Gateway.ResidentMiB = m.number("process_resident_memory_bytes") / (1 << 20)
	return s
}

// print writes the summary.
func (r *run) print(s *summary) error {
	w := bufio.NewWriter(r.env.Stdout)
	if r.flags.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		if err := e.Encode(s); err != nil {
			return err
		}
	} else {
		s.text(w)
	}
	return w.Flush()
}

// reasonsShown is how many reasons the text has.
const reasonsShown = 12

// text writes the summary for people.
func (s *summary) text(w io.Writer) {
	fmt.Fprintf(w, "\n%d requests in %.1f s, %.0f answers a second", s.Sent, s.Seconds, s.Rate)
	if s.Failed > 0 {
		fmt.Fprintf(w, ", %d FAILED", s.Failed)
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "requests\tsent\trefused\tforwarded\t\n")
	for c := simulate.Clean; c <= simulate.Fraud; c++ {
		if o := s.Planted[c.String()]; o.Sent > 0 {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", names[c], o.Sent, o.Refused, o.Sent-o.Refused)
		}
	}
	t.Flush() //nolint:errcheck // the caller's writer keeps the error
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "refused\treason\n")
	reasons := slices.SortedFunc(maps.Keys(s.Refused), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Refused[b], s.Refused[a]), cmp.Compare(a, b))
	})
	others := 0
	for i, reason := range reasons {
		if i < reasonsShown {
			fmt.Fprintf(t, "%7d\t%s\n", s.Refused[reason], reason)
		} else {
			others += s.Refused[reason]
		}
	}
	if others > 0 {
		fmt.Fprintf(t, "%7d\tfor %d other reasons\n", others, len(reasons)-reasonsShown)
	}
	t.Flush() //nolint:errcheck // as above
	fmt.Fprint(w, "\nlatency ")
	for _, q := range quantiles {
		fmt.Fprintf(w, "  %s %.2f ms", q.name, s.Latency[q.name])
	}
	fmt.Fprintln(w)
	if s.Invalid != "" {
		fmt.Fprintf(w, "  (this machine was busy: %s)\n", s.Invalid)
	}
	fmt.Fprintf(w, "gateway   %.0f µs from the last byte to the verdict, then %.1f ms in the core (means)\n", s.Gateway.InspectMicros, s.Gateway.UpstreamMicros/1000)
	if s.Gateway.CPUMicros > 0 {
		fmt.Fprintf(w, "          %.0f µs of processor time for a request, its start included; %.0f MiB resident\n", s.Gateway.CPUMicros, s.Gateway.ResidentMiB)
	}
}

// names are the classes for people.
var names = map[simulate.Class]string{
	simulate.Clean: "clean", simulate.Defect: "defect", simulate.Payload: "attack", simulate.Fraud: "fraud",
}
