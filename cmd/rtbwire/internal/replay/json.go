package replay

import (
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// The outcome for programs. Names may be added; those that are here stay.
type (
	jsonResult struct {
		Tool        string         `json:"tool"`
		Start       time.Time      `json:"start"`
		Seconds     float64        `json:"seconds"`
		Rate        *float64       `json:"rate,omitempty"` // asked for; absent for max
		Connections int            `json:"connections"`
		Threads     int            `json:"threads"`
		Interrupted bool           `json:"interrupted"`
		Invalid     string         `json:"invalid,omitempty"`
		CPUSeconds  float64        `json:"cpu_seconds"`
		Target      jsonTarget     `json:"target"`
		Against     *jsonTarget    `json:"against,omitempty"`
		Answers     *jsonJudgement `json:"answers,omitempty"`
	}
	jsonTarget struct {
		URL        string             `json:"url"`
		Sent       int64              `json:"sent"`
		Answered   int64              `json:"answered"`
		Rate       float64            `json:"rate"` // answers a second
		Statuses   map[string]int64   `json:"statuses"`
		Failed     int64              `json:"failed"`
		Failures   map[string]int64   `json:"failures,omitempty"`
		ErrorShare float64            `json:"error_share"`
		Reconnects int64              `json:"reconnects"`
		Refused    int64              `json:"refused"`
		BytesOut   int64              `json:"bytes_out"`
		BytesIn    int64              `json:"bytes_in"`
		LatencyMs  map[string]float64 `json:"latency_ms"`
		NaiveMs    map[string]float64 `json:"naive_ms"`
		LagMs      map[string]float64 `json:"lag_ms"`
		Intervals  []jsonInterval     `json:"intervals"`
	}
	jsonInterval struct {
		At       float64 `json:"at"` // seconds
		Seconds  float64 `json:"seconds"`
		Sent     int64   `json:"sent"`
		Answered int64   `json:"answered"`
		Failed   int64   `json:"failed"`
		InFlight int64   `json:"in_flight"`
		Waiting  int64   `json:"waiting"`
		P50Ms    float64 `json:"p50_ms"`
		P99Ms    float64 `json:"p99_ms"`
		MaxMs    float64 `json:"max_ms"`
	}
	jsonJudgement struct {
		Checked         int64            `json:"checked"`
		Wrong           int64            `json:"wrong"`
		Rules           map[string]int64 `json:"rules,omitempty"`
		Compared        int64            `json:"compared"`
		Different       int64            `json:"different"`
		StatusDifferent int64            `json:"status_different"`
		Unexpected      int64            `json:"unexpected"`
		Skipped         int64            `json:"skipped"`
		Recorded        int64            `json:"recorded"`
		Unrecorded      int64            `json:"unrecorded"`
		Examples        []jsonExample    `json:"examples,omitempty"`
	}
	jsonExample struct {
		Kind    string `json:"kind"`
		Request int    `json:"request"` // from 1
		ID      string `json:"id"`
		What    string `json:"what"`
	}
	jsonLimitResult struct {
		Tool        string      `json:"tool"`
		Limit       string      `json:"limit"`
		Rate        float64     `json:"rate"` // the highest that held
		Generator   bool        `json:"generator"`
		Interrupted bool        `json:"interrupted"`
		Steps       []jsonStep  `json:"steps"`
		Best        *jsonResult `json:"best,omitempty"`
	}
	jsonStep struct {
		Rate      float64            `json:"rate"`
		Held      bool               `json:"held"`
		Why       string             `json:"why,omitempty"`
		Answered  float64            `json:"answered_rate"`
		LatencyMs map[string]float64 `json:"latency_ms"`
	}
)

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func tool() string { return "rtbwire " + cli.Version() }

// jsonOf returns the outcome of a run.
func (r *run) jsonOf(result *replay.Result) jsonResult {
	out := jsonResult{
		Tool: tool(), Start: result.Start.UTC(), Seconds: result.Elapsed.Seconds(), Connections: result.Connections, Threads: result.Loops,
		Interrupted: result.Interrupted, Invalid: result.Invalid, CPUSeconds: result.CPU.Seconds(), Target: jsonOfTarget(&result.Target),
	}
	if result.Rate > 0 {
		out.Rate = &result.Rate
	}
	if result.Against != nil {
		out.Against = new(jsonOfTarget(result.Against))
	}
	if j := result.Judgement; j != nil {
		out.Answers = &jsonJudgement{
			Checked: j.Checked, Wrong: j.Wrong, Compared: j.Compared, Different: j.Different, StatusDifferent: j.StatusDifferent,
			Unexpected: j.Unexpected, Skipped: j.Skipped, Recorded: j.Recorded, Unrecorded: j.Unrecorded, Rules: map[string]int64{},
		}
		for _, r := range j.Rules {
			out.Answers.Rules[r.ID] = r.Answers
		}
		for _, e := range j.Examples {
			out.Answers.Examples = append(out.Answers.Examples, jsonExample{e.Kind, e.Request + 1, e.ID, e.What})
		}
	}
	return out
}

func jsonOfTarget(t *replay.TargetResult) jsonTarget {
	out := jsonTarget{
		URL: t.Target.String(), Sent: t.Sent, Answered: t.Answered, Rate: t.Rate, Failed: t.Failed(), ErrorShare: t.ErrorShare(),
		Reconnects: t.Reconnects, Refused: t.Refused, BytesOut: t.BytesOut, BytesIn: t.BytesIn,
		LatencyMs: latencies(t.Latency), NaiveMs: latencies(t.Naive), LagMs: latencies(t.Lag),
		Statuses: map[string]int64{}, Failures: map[string]int64{},
	}
	for status, n := range t.Statuses {
		out.Statuses[strconv.Itoa(status)] = n
	}
	for f, n := range t.Failures {
		out.Failures[f.String()] = n
	}
	for _, i := range t.Intervals {
		out.Intervals = append(out.Intervals, jsonInterval{
			At: i.At.Seconds(), Seconds: i.Length.Seconds(), Sent: i.Sent, Answered: i.Answered, Failed: i.Failed,
			InFlight: i.InFlight, Waiting: i.Waiting, P50Ms: millis(i.P50), P99Ms: millis(i.P99), MaxMs: millis(i.Max),
		})
	}
	return out
}

// jsonLimit returns the outcome of a search.
func (r *run) jsonLimit(found *replay.LimitResult) jsonLimitResult {
	out := jsonLimitResult{Tool: tool(), Limit: found.Limit.String(), Rate: found.Rate, Generator: found.Generator, Interrupted: found.Interrupted}
	for _, s := range found.Steps {
		out.Steps = append(out.Steps, jsonStep{s.Rate, s.Held, s.Why, s.Result.Target.Rate, latencies(s.Result.Target.Latency)})
	}
	if found.Best != nil {
		out.Best = new(r.jsonOf(found.Best))
	}
	return out
}

func latencies(l *replay.Latencies) map[string]float64 {
	out := map[string]float64{"max": millis(l.Max()), "mean": millis(l.Mean())}
	for _, p := range percentiles {
		out[p.name] = millis(l.Quantile(p.quantile))
	}
	return out
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
