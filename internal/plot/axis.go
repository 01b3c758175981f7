package plot

import (
	"fmt"
	"math"
	"strings"
)

// Axis maps values to places of a picture.
type Axis struct {
	From, To    float64 // values
	Start, Stop float64 // their places
	Log         bool
}

// At returns the place of a value; one outside the axis gets the nearer end.
func (a *Axis) At(v float64) float64 {
	v = min(max(v, a.From), a.To)
	from, to := a.From, a.To
	if a.Log {
		v, from, to = math.Log10(v), math.Log10(from), math.Log10(to)
	}
	if to == from {
		return a.Start
	}
	return a.Start + (v-from)/(to-from)*(a.Stop-a.Start)
}

// Linear returns an axis from 0 to high, or to the tick above it, and its ticks at their places.
func Linear(high float64, above bool, start, stop float64, text func(float64) string) (Axis, []Tick) {
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, part := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if high/(step*part) <= 5 {
			step *= part
			break
		}
	}
	a := Axis{From: 0, To: high, Start: start, Stop: stop}
	if above {
		a.To = step * math.Ceil(high/step)
	}
	var ticks []Tick
	for i := 0.0; i*step <= a.To*1.001; i++ {
		ticks = append(ticks, Tick{a.At(i * step), text(i * step)})
	}
	return a, ticks
}

// Logarithmic returns an axis between the powers of ten around low and high, with ticks at each.
func Logarithmic(low, high, start, stop float64, text func(float64) string) (Axis, []Tick) {
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if from == to {
		to++
	}
	a := Axis{From: math.Pow(10, from), To: math.Pow(10, to), Start: start, Stop: stop, Log: true}
	var ticks []Tick
	for e := from; e <= to; e++ {
		ticks = append(ticks, Tick{a.At(math.Pow(10, e)), text(math.Pow(10, e))})
	}
	return a, ticks
}

// Path joins points by lines: the attribute d of an SVG path.
func Path(points []Point, x, y *Axis) string {
	var path strings.Builder
	command := "M"
	for _, p := range points {
		fmt.Fprintf(&path, "%s%.1f %.1f", command, x.At(p.X), y.At(p.Y))
		command = "L"
	}
	return path.String()
}

// span returns an axis for values from lo to hi with some space around them. One that is not
// logarithmic begins at 0 or below.
func span(lo, hi float64, log bool, start, stop float64) Axis {
	a := Axis{From: min(0, lo), To: hi * 1.05, Start: start, Stop: stop, Log: log}
	if log {
		a.From, a.To = lo/1.3, hi*1.3
	}
	return a
}
