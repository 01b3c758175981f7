package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// The limits of what is asked of the gateway and the core.
const (
	askMax    = 10 * time.Second
	answerCap = 256 << 20 // the core's list of ids is long
)

// ask gets a page.
func ask(ctx context.Context, url string, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, askMax)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", url, resp.StatusCode)
	}
	return read(io.LimitReader(resp.Body, answerCap))
}

// arrived returns the ids of the requests that the core has got.
func arrived(ctx context.Context, core string) (ids []string, err error) {
	var stats struct {
		LastIDs []string `json:"last_ids"`
	}
	err = ask(ctx, core+"/stats", func(r io.Reader) error { return json.NewDecoder(r).Decode(&stats) })
	return stats.LastIDs, err
}

// metrics are the metrics of a gateway, by name.
type metrics map[string]*dto.MetricFamily

func readMetrics(ctx context.Context, admin string) (m metrics, err error) {
	err = ask(ctx, admin+"/metrics", func(r io.Reader) error {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		m, err = parser.TextToMetricFamilies(r)
		return err
	})
	return m, err
}

// by returns the counters of a family by the value of a label, added up over the others.
func (m metrics) by(name, label string) map[string]int {
	out := map[string]int{}
	for _, own := range m[name].GetMetric() {
		for _, l := range own.GetLabel() {
			if n := int(own.GetCounter().GetValue()); l.GetName() == label && n > 0 {
				out[l.GetValue()] += n
			}
		}
	}
	return out
}

// number returns a counter or gauge without labels.
func (m metrics) number(name string) float64 {
	for _, own := range m[name].GetMetric() {
		return own.GetCounter().GetValue() + own.GetGauge().GetValue()
	}
	return 0
}

// mean returns the mean of a histogram of seconds, of the metric with a value of a label.
func (m metrics) mean(name, label, value string) time.Duration {
	for _, own := range m[name].GetMetric() {
		for _, l := range own.GetLabel() {
			if h := own.GetHistogram(); l.GetName() == label && l.GetValue() == value && h.GetSampleCount() > 0 {
				return time.Duration(h.GetSampleSum() / float64(h.GetSampleCount()) * float64(time.Second))
			}
		}
	}
	return 0
}
