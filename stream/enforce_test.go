package stream_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/stream"
)

// TestEnforce reads records of a partner of which a half is enforced: the others are accepted, and
// counted by what would refuse them.
func TestEnforce(t *testing.T) {
	t.Parallel()
	const count = 400
	half := 0.5
	engine, err := inspect.New(inspect.Config{Partners: map[string]inspect.Partner{"p": {Layer: inspect.Layer{Enforce: &half}}}})
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	spared, worker := 0, engine.NewWorker()
	for i := range count { // without impressions
		values = append(values, fmt.Sprintf(`{"id":"%d","imp":[],"site":{"id":"s"}}`, i))
		v := worker.Inspect([]byte(values[i]), inspect.Facts{Partner: "p"})
		spared += int(v.WouldRefuse().Action)
	}
	values = append(values, `{"id":`)
	source := newMemory(values)
	r := start(t, source, func(o *stream.Options) { o.Engine, o.Facts = engine, inspect.Facts{Partner: "p"} })
	r.eventually("all to be committed", source.allCommitted)
	if accepted, refused := r.accepted.count(), r.dead.count(); accepted != spared || refused != count+1-spared || spared < count/4 || spared > count*3/4 {
		t.Errorf("%d accepted, %d refused, want %d accepted", accepted, refused, spared)
	}
	want := map[string]float64{"p schema.BidRequest.imp.min": float64(spared)}
	if got := counted(t, r.Stream, "would_refuse_total"); !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	observed := 0
	for _, reject := range r.Rejects() {
		if reject.Observed {
			observed++
		}
	}
	if observed == 0 {
		t.Error("no record that is only observed is shown")
	}
}

// counted returns the values of a counter by its labels.
func counted(t *testing.T, s *stream.Stream, name string) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Collector())
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != stream.Namespace+name {
			continue
		}
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			out[strings.Join(labels, " ")] = m.GetCounter().GetValue()
		}
	}
	return out
}
