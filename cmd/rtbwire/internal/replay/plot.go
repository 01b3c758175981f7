package replay

import (
	"fmt"
	"math"
	"strings"
)

// plot is a drawing of lines, in units of an SVG of plotWidth by plotHeight.
type plot struct {
	Title, Hint    string
	XTicks, YTicks []tick
	Lines          []curve
	XLabel         string
}

// curve is a line of a plot.
type curve struct {
	Name, Class string
	Path        string
}

// tick is a mark of an axis.
type tick struct {
	At   float64
	Text string
}

const (
	plotWidth, plotHeight = 480.0, 230.0
	plotLeft, plotRight   = 52.0, 20.0
	plotTop, plotBottom   = 10.0, 26.0
)

// axis maps values to a place.
type axis struct {
	from, to    float64 // of values
	start, stop float64 // of places
	log         bool
}

func (a *axis) at(v float64) float64 {
	from, to := a.from, a.to
	if a.log {
		v, from, to = math.Log10(max(v, from)), math.Log10(from), math.Log10(to)
	}
	if to == from {
		return a.start
	}
	v = min(max(v, from), to)
	return a.start + (v-from)/(to-from)*(a.stop-a.start)
}

// series are the points of a curve.
type series struct {
	name, class string
	x, y        []float64
}

// drawn returns a curve.
func drawn(s *series, x, y *axis) curve {
	var path strings.Builder
	for i := range s.x {
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", letter, x.at(s.x[i]), y.at(s.y[i]))
	}
	return curve{s.name, s.class, path.String()}
}

// span returns the smallest and the largest y of several series, of those above 0.
func span(list []*series) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, s := range list {
		for _, v := range s.y {
			if high = max(high, v); v > 0 {
				low = min(low, v)
			}
		}
	}
	if high == 0 {
		return 1, 10
	}
	return low, high
}

// linear returns an axis from 0 to high, or to the tick above it, with ticks.
func linear(high float64, above bool, start, stop float64, text func(float64) string) (axis, []tick) {
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if high/(step*part) <= 5 {
			step *= part
			break
		}
	}
	a := axis{from: 0, to: high, start: start, stop: stop}
	if above {
		a.to = step * math.Ceil(high/step)
	}
	var ticks []tick
	for i := 0.0; i*step <= a.to*1.001; i++ {
		ticks = append(ticks, tick{a.at(i * step), text(i * step)})
	}
	return a, ticks
}

// logarithmic returns an axis from below low to above high, with ticks at powers of ten.
func logarithmic(low, high, start, stop float64, text func(float64) string) (axis, []tick) {
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if from == to {
		to++
	}
	a := axis{from: math.Pow(10, from), to: math.Pow(10, to), start: start, stop: stop, log: true}
	var ticks []tick
	for e := from; e <= to; e++ {
		ticks = append(ticks, tick{a.at(math.Pow(10, e)), text(math.Pow(10, e))})
	}
	return a, ticks
}

// points turns a path of lines into one of short strokes, which round ends make points.
func points(path string, n int) string {
	if n == 0 {
		return ""
	}
	return strings.ReplaceAll(path, "L", "h0M") + "h0"
}
