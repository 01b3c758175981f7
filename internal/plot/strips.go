package plot

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// Strips are histograms one below the other, with one axis.
type Strips struct {
	X      string // what the axis shows
	TicksX []Tick // where it has marks
	Rows   []Strip
}

// Strip is the histogram of one name.
type Strip struct {
	Name    string
	Buckets []Bucket
	Marks   []Tick // values that are marked and named, the lowest first
}

// Bucket has the values from From, which is not 0, to To.
type Bucket struct{ From, To, Count float64 }

// decades is how many powers of ten the height of a strip spans.
const decades = 6

// Both draws the histograms twice, like [Plot.Both]. The axis and the heights are logarithmic: the
// whole height is all values of a name, a sixth less a tenth of them.
func (p *Strips) Both() template.HTML { return p.draw("", 720, 150) + p.draw("narrow", 364, 0) }

// draw puts names into a column of that width, or above the strips if it is 0.
func (p *Strips) draw(class string, width, column int) template.HTML {
	const height, gap, text, right, axis = 30, 10, 13, 10, 40
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range p.Rows {
		for _, b := range r.Buckets {
			if b.Count > 0 {
				lo, hi = min(lo, b.From), max(hi, b.To)
			}
		}
	}
	if math.IsInf(lo, 1) {
		return ""
	}
	px := func(v float64) float64 {
		return float64(column) + float64(width-column-right)*math.Log(v/lo)/math.Log(hi/lo)
	}
	above := text // room for the names of marks
	if column == 0 {
		above += text // and of rows
	}
	step := above + height + gap
	all := len(p.Rows)*step + axis
	b := new(strings.Builder)
	fmt.Fprintf(b, `<svg%s viewBox="0 0 %d %d" role="img" aria-label="histograms: %s">`, classText(class), width, all, esc(p.X))
	for _, t := range p.TicksX {
		if t.At >= lo && t.At <= hi {
			fmt.Fprintf(b, `<line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
				px(t.At), px(t.At), all-axis+4, min(max(px(t.At), 14), float64(width-16)), all-axis+17, esc(t.Text))
		}
	}
	fmt.Fprintf(b, `<text class="axis" x="%d" y="%d" text-anchor="middle">%s</text>`, (column+width-right)/2, all-5, esc(p.X))
	for i, r := range p.Rows {
		floor := float64(i*step + above + height)
		total := 0.0
		for _, v := range r.Buckets {
			total += v.Count
		}
		fmt.Fprintf(b, `<g class="%s">`, Family(r.Name))
		if column > 0 {
			fmt.Fprintf(b, `<text class="name" x="%d" y="%.1f" text-anchor="end">%s</text>`, column-8, floor-6, esc(r.Name))
		} else {
			fmt.Fprintf(b, `<text class="name" x="0" y="%.1f">%s</text>`, floor-height-text-3, esc(r.Name))
		}
		for _, v := range r.Buckets {
			if v.Count > 0 {
				tall := height * max(decades+math.Log10(v.Count/total), 0.1) / decades
				fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s: %.0f of %.0f</title></rect>`,
					px(v.From)+0.5, floor-tall, max(px(v.To)-px(v.From)-1, 1), tall, esc(r.Name), v.Count, total)
			}
		}
		next := float64(width) // where the text of the mark to the right begins
		for _, m := range slices.Backward(r.Marks) {
			x := min(max(px(m.At), float64(column)), float64(width-right))
			wide := 6.5 * float64(len(m.Text))
			at := min(x+4, next-wide)
			if next < float64(width) || at < x {
				at = min(x-4, next-6) - wide
			}
			next = max(at, 0)
			fmt.Fprintf(b, `<line class="mark" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/><text x="%.1f" y="%.1f">%s</text>`,
				x, x, floor-height-6, floor, next, floor-height-3, esc(m.Text))
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
