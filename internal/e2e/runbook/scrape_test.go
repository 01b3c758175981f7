package runbook

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// series is a metric with its labels, as the text format writes it.
type series string

// name is the name of the metric.
func (s series) name() string {
	name, _, _ := strings.Cut(string(s), "{")
	return name
}

// labels are those of the series.
func (s series) labels() map[string]string {
	out := map[string]string{}
	for _, m := range labelForm.FindAllStringSubmatch(string(s), -1) {
		out[m[1]] = m[2]
	}
	return out
}

// metric is what a series is at a time. Counters grow, all others are what they are.
type metric struct {
	v       float64
	counter bool
}

// scrape is what all series of a process are at a time.
type scrape map[series]metric

// newScrape reads the text format.
func newScrape(r io.Reader) (scrape, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, err
	}
	out := scrape{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			out.add(name, f.GetType(), m)
		}
	}
	return out, nil
}

func (s scrape) add(name string, kind dto.MetricType, m *dto.Metric) {
	labels := map[string]string{}
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	switch kind {
	case dto.MetricType_HISTOGRAM:
		s[seriesOf(name+"_sum", labels)] = metric{m.GetHistogram().GetSampleSum(), true}
		s[seriesOf(name+"_count", labels)] = metric{float64(m.GetHistogram().GetSampleCount()), true}
		for _, b := range m.GetHistogram().GetBucket() {
			labels["le"] = fmt.Sprint(b.GetUpperBound())
			s[seriesOf(name+"_bucket", labels)] = metric{float64(b.GetCumulativeCount()), true}
		}
	case dto.MetricType_COUNTER:
		s[seriesOf(name, labels)] = metric{m.GetCounter().GetValue(), true}
	default:
		s[seriesOf(name, labels)] = metric{m.GetGauge().GetValue() + m.GetUntyped().GetValue(), false} // one of which is missing
	}
}

func seriesOf(name string, labels map[string]string) series {
	if len(labels) == 0 {
		return series(name)
	}
	var list []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, fmt.Sprintf("%s=%q", label, labels[label]))
	}
	return series(name + "{" + strings.Join(list, ",") + "}")
}
