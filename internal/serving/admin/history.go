package admin

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// What is kept of the past.
const (
	// Interval is the time between two points.
	Interval = time.Second
	// PointsMax is how many points are kept: ten minutes.
	PointsMax = 600
	// recentStep and recentMax say of which time the rates of the tables are: a minute.
	recentStep = 5 * time.Second
	recentMax  = 12
)

// history keeps numbers over time. They are read from the metrics once in an interval, however many
// ask for them.
type history struct {
	from   prometheus.Gatherer
	series []series

	mu     sync.Mutex
	last   *sample
	recent []*sample // every recentStep, the oldest first
	points [PointsMax]point
	next   int // all points since the start
}

// point is one row of numbers.
type point struct {
	at     time.Time
	values []float64 // by the index of the series
}

func newHistory(from prometheus.Gatherer, series []series) *history {
	return &history{from: from, series: series}
}

// refresh adds a point if the last one is old.
func (h *history) refresh() {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.last != nil && now.Sub(h.last.at) < Interval*9/10 { // tickers are not exact
		return
	}
	h.add(take(h.from, now))
}

// add adds the point of a sample. The first sample has none: it takes two.
func (h *history) add(now *sample) {
	before := h.last
	h.last = now
	if n := len(h.recent); n == 0 || now.at.Sub(h.recent[n-1].at) >= recentStep {
		h.recent = append(h.recent, now)
		if len(h.recent) > recentMax {
			h.recent = append(h.recent[:0], h.recent[1:]...)
		}
	}
	if before == nil {
		return
	}
	p := &h.points[h.next%PointsMax]
	p.at = now.at
	if p.values == nil {
		p.values = make([]float64, len(h.series))
	}
	for i := range h.series {
		p.values[i] = h.series[i].of(before, now)
	}
	h.next++
}

// samples returns the last sample and the oldest of those that rates are computed from.
func (h *history) samples() (oldest, last *sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.recent[0], h.last
}

// count returns how many points there were since the start.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.next
}

// latestPoints is how many points [history.latest] is the mean of: single seconds are too restless
// to read.
const latestPoints = 3

// latest returns what series are now, by name; those without a number are missing.
func (h *history) latest() map[string]float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]float64{}
	for i := range h.series {
		sum, n := 0.0, 0
		for k := max(h.next-latestPoints, 0); k < h.next; k++ {
			if v := h.points[k%PointsMax].values[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum += v
				n++
			}
		}
		if n > 0 {
			out[h.series[i].name] = sum / float64(n)
		}
	}
	return out
}

// past returns the samples that rates are computed from, the oldest first.
func (h *history) past() []*sample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.recent)
}

// columns returns the points after a number of points, as JSON: for each series an array, and the
// number of all points since the start.
func (h *history) columns(since int) (text []byte, last int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	from := max(h.next-PointsMax, 0)
	if since > from && since <= h.next {
		from = since
	}
	text = append(text, `{"time":[`...)
	for n := from; n < h.next; n++ {
		text = comma(text, n > from)
		text = strconv.AppendInt(text, h.points[n%PointsMax].at.UnixMilli(), 10)
	}
	text = append(text, ']')
	for i := range h.series {
		text = append(text, ',')
		text = strconv.AppendQuote(text, h.series[i].name)
		text = append(text, ":["...)
		for n := from; n < h.next; n++ {
			text = comma(text, n > from)
			text = appendNumber(text, h.points[n%PointsMax].values[i])
		}
		text = append(text, ']')
	}
	return append(text, '}'), h.next
}

func comma(text []byte, more bool) []byte {
	if more {
		text = append(text, ',')
	}
	return text
}

// appendNumber appends a number with three decimals; null for NaN and infinities.
func appendNumber(text []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(text, "null"...)
	}
	return strconv.AppendFloat(text, math.Round(v*1000)/1000, 'f', -1, 64)
}
