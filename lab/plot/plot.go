// Package plot draws the lab's pictures as SVG: lines and points with axes, and bars. Names are
// those of contestants; the style sheet of a page, or of the file, gives each family of them its
// color.
package plot

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Point is a value of a series.
type Point struct{ X, Y float64 }

// Series are the values of one contestant.
type Series struct {
	Name   string
	Points []Point
}

// Plot is a picture with axes. Colors and fonts come from the style sheet of the page: a series has
// the class of its name's family.
type Plot struct {
	X, Y       string // what the axes show
	LogX, LogY bool
	Lines      bool // joins a series' points
	TicksX     []Tick
	Series     []Series
}

// Tick is a mark of an axis.
type Tick struct {
	At   float64
	Text string
}

const (
	plotWidth, plotHeight   = 720, 380
	plotLeft, plotRight     = 70, 180
	plotTop, plotBottom     = 14, 46
	innerWidth, innerHeight = plotWidth - plotLeft - plotRight, plotHeight - plotTop - plotBottom
)

// SVG draws the plot for a page.
func (p *Plot) SVG() template.HTML {
	minX, maxX, minY, maxY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, v := range s.Points {
			minX, maxX = min(minX, v.X), max(maxX, v.X)
			minY, maxY = min(minY, v.Y), max(maxY, v.Y)
		}
	}
	if math.IsInf(minX, 1) {
		return ""
	}
	scale := func(v, lo, hi float64, log bool) float64 {
		if log {
			v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
		}
		return (v - lo) / max(hi-lo, 1e-9)
	}
	if p.LogX {
		minX, maxX = minX/1.3, maxX*1.3
	} else {
		minX = min(0, minX)
		maxX *= 1.05
	}
	if p.LogY {
		minY, maxY = minY/1.3, maxY*1.3
	} else {
		minY = min(0, minY)
		maxY *= 1.05
	}
	px := func(x float64) float64 { return plotLeft + innerWidth*scale(x, minX, maxX, p.LogX) }
	py := func(y float64) float64 { return plotTop + innerHeight*(1-scale(y, minY, maxY, p.LogY)) }

	b := new(strings.Builder)
	fmt.Fprintf(b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s against %s">`, plotWidth, plotHeight, esc(p.Y), esc(p.X))
	ticksX := p.TicksX
	if ticksX == nil {
		ticksX = ticks(minX, maxX, p.LogX)
	}
	for _, t := range ticksX {
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			px(t.At), px(t.At), plotTop, plotTop+innerHeight, px(t.At), plotTop+innerHeight+16, esc(t.Text))
	}
	for _, t := range ticks(minY, maxY, p.LogY) {
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, plotLeft+innerWidth, py(t.At), py(t.At), plotLeft-6, py(t.At)+4, esc(t.Text))
	}
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d" text-anchor="middle">%s</text>`, plotLeft+innerWidth/2, plotHeight-6, esc(p.X))
	fmt.Fprintf(b, `<text class="axis" transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`, plotTop+innerHeight/2, esc(p.Y))
	labels := make([]label, 0, len(p.Series))
	for _, s := range p.Series {
		class := Family(s.Name)
		var path strings.Builder
		for i, v := range s.Points {
			command := "L"
			if i == 0 {
				command = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", command, px(v.X), py(v.Y))
			fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="4"><title>%s: %.4g, %.4g</title></circle>`, class, px(v.X), py(v.Y), esc(s.Name), v.X, v.Y)
		}
		if p.Lines {
			fmt.Fprintf(b, `<path class="%s" d="%s"/>`, class, path.String())
		}
		if n := len(s.Points); n > 0 {
			last := s.Points[n-1]
			labels = append(labels, label{px(last.X), py(last.Y), s.Name})
		}
	}
	spreadLabels(labels, p.Lines)
	for _, l := range labels {
		fmt.Fprintf(b, `<text class="name %s" x="%.1f" y="%.1f">%s</text>`, Family(l.text), l.x+8, l.y+4, esc(l.text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

type label struct {
	x, y float64
	text string
}

// spreadLabels moves labels apart that would overlap. At the ends of lines they form a column, in
// the order of the ends.
func spreadLabels(labels []label, column bool) {
	const height, top, bottom = 12, plotTop + 6, plotTop + innerHeight
	if column {
		slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
		next := float64(top)
		for i := range labels {
			labels[i].y = max(labels[i].y, next)
			next = labels[i].y + height
		}
		last := float64(bottom)
		for i := range slices.Backward(labels) {
			labels[i].y = min(labels[i].y, last)
			last = labels[i].y - height
		}
		return
	}
	for range 200 {
		moved := false
		for i := range labels {
			for j := range labels {
				a, b := &labels[i], &labels[j]
				near := math.Abs(a.x-b.x) < 7*float64(max(len(a.text), len(b.text)))
				if i < j && near && math.Abs(a.y-b.y) < height {
					shift := (height - math.Abs(a.y-b.y)) / 2
					if a.y > b.y {
						a, b = b, a
					}
					a.y -= shift + 0.1
					b.y += shift + 0.1
					moved = true
				}
			}
		}
		for i := range labels {
			labels[i].y = min(max(labels[i].y, top), bottom)
		}
		if !moved {
			return
		}
	}
}

// ticks returns round values between lo and hi.
func ticks(lo, hi float64, log bool) []Tick {
	var out []Tick
	if log {
		for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
			for _, m := range []float64{1, 2, 5} {
				v := m * math.Pow(10, e)
				if v >= lo && v <= hi && (m == 1 || hi/lo < 100) {
					out = append(out, Tick{v, short(v)})
				}
			}
		}
		return out
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/2)))
	for (hi-lo)/step > 6 {
		step *= 2
	}
	for v := math.Ceil(lo/step) * step; v <= hi; v += step {
		out = append(out, Tick{v, short(v)})
	}
	return out
}

func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	return fmt.Sprintf("%.3g", v)
}

func esc(s string) string { return template.HTMLEscapeString(s) }

// Family returns the style of an engine: its name up to the first hyphen.
func Family(name string) string {
	if strings.HasPrefix(name, "encoding-json") {
		return "f-std"
	}
	first, _, _ := strings.Cut(name, "-")
	return "f-" + strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, first)
}
