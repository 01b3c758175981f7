// Package plot draws charts as SVG: lines and points with axes, bars and histograms. Series are
// named, and the style sheet of a page, or of the file, gives each family of names its color. A
// page that draws its own picture takes the axes and paths from here.
//
//	plot.go    lines and points with axes
//	bars.go    groups of bars
//	strips.go  histograms one below the other
//	axis.go    values to places, ticks, paths
//	file.go    a picture as a file of its own
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

// Series are values under a name.
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

// frame is the size of a plot and of the margins around its axes.
type frame struct {
	class                    string
	width, height            int
	left, right, top, bottom int
	spacing                  float64 // between labels
}

var (
	wideFrame   = frame{"", 720, 380, 70, 180, 14, 46, 12}
	narrowFrame = frame{"narrow", 364, 380, 42, 166, 14, 46, 11}
)

func (f *frame) innerWidth() int  { return f.width - f.left - f.right }
func (f *frame) innerHeight() int { return f.height - f.top - f.bottom }

// SVG draws the plot for a page.
func (p *Plot) SVG() template.HTML { return p.draw(&wideFrame) }

// Both draws the plot twice: for wide pages, and for phones in an element of the class narrow. The
// style sheet shows one of them.
func (p *Plot) Both() template.HTML { return p.draw(&wideFrame) + p.draw(&narrowFrame) }

func (p *Plot) draw(f *frame) template.HTML {
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
	right, bottom := f.left+f.innerWidth(), f.top+f.innerHeight()
	x := span(minX, maxX, p.LogX, float64(f.left), float64(right))
	y := span(minY, maxY, p.LogY, float64(bottom), float64(f.top))

	b := new(strings.Builder)
	fmt.Fprintf(b, `<svg%s viewBox="0 0 %d %d" role="img" aria-label="%s against %s">`, classText(f.class), f.width, f.height, esc(p.Y), esc(p.X))
	ticksX := p.TicksX
	if ticksX == nil {
		ticksX = ticks(x.From, x.To, p.LogX)
	}
	for _, t := range ticksX {
		fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			x.At(t.At), x.At(t.At), f.top, bottom, x.At(t.At), bottom+16, esc(t.Text))
	}
	for _, t := range ticks(y.From, y.To, p.LogY) {
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			f.left, right, y.At(t.At), y.At(t.At), f.left-6, y.At(t.At)+4, esc(t.Text))
	}
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d" text-anchor="middle">%s</text>`, (f.left+right)/2, f.height-6, esc(p.X))
	fmt.Fprintf(b, `<text class="axis" transform="translate(12 %d) rotate(-90)" text-anchor="middle">%s</text>`, (f.top+bottom)/2, esc(p.Y))
	labels := make([]label, 0, len(p.Series))
	for _, s := range p.Series {
		class := Family(s.Name)
		for _, v := range s.dots(p.Lines) {
			fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="4"><title>%s: %.4g, %.4g</title></circle>`, class, x.At(v.X), y.At(v.Y), esc(s.Name), v.X, v.Y)
		}
		if p.Lines {
			fmt.Fprintf(b, `<path class="%s" d="%s"/>`, class, Path(s.Points, &x, &y))
		}
		if n := len(s.Points); n > 0 {
			last := s.Points[n-1]
			labels = append(labels, label{x.At(last.X), y.At(last.Y), s.Name})
		}
	}
	spreadLabels(labels, f, p.Lines)
	for _, l := range labels {
		fmt.Fprintf(b, `<text class="name %s" x="%.1f" y="%.1f">%s</text>`, Family(l.text), l.x+8, l.y+4, esc(l.text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// dotsMax is how many points of a line are drawn as dots with titles. More hide the line, and are
// most of the file.
const dotsMax = 60

func (s *Series) dots(line bool) []Point {
	if line && len(s.Points) > dotsMax {
		return nil
	}
	return s.Points
}

// Envelope returns the lowest and the highest of each of n runs of points, in their order, so that
// a line of a few hundred pixels has no peak less. Few points are returned as they are.
func Envelope(points []Point, n int) []Point {
	if len(points) <= 2*n {
		return points
	}
	out := make([]Point, 0, 2*n)
	for i := range n {
		part := points[i*len(points)/n : (i+1)*len(points)/n]
		low, high := 0, 0
		for j, v := range part {
			if v.Y < part[low].Y {
				low = j
			}
			if v.Y > part[high].Y {
				high = j
			}
		}
		out = append(out, part[min(low, high)])
		if low != high {
			out = append(out, part[max(low, high)])
		}
	}
	return out
}

func classText(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

type label struct {
	x, y float64
	text string
}

// spreadLabels moves labels apart that would overlap. At the ends of lines they form a column, in
// the order of the ends.
func spreadLabels(labels []label, f *frame, column bool) {
	height, top, bottom := f.spacing, float64(f.top+6), float64(f.top+f.innerHeight())
	if column {
		slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(a.y, b.y) })
		next := top
		for i := range labels {
			labels[i].y = max(labels[i].y, next)
			next = labels[i].y + height
		}
		last := bottom
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
