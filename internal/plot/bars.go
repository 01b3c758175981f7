package plot

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bars are values that are compared, under a title.
type Bars struct {
	Title string
	Bars  []Bar
}

// Bar is a value under a name, and the value as text.
type Bar struct {
	Name   string
	Value  float64
	Text   string
	Strong bool // stands out, as those of rtbwire do
}

// DrawBars draws groups of bars one below the other, as an SVG file. The longest of each group
// takes the whole width.
func DrawBars(label string, groups []Bars) string {
	const width, bar, gap, left = 760, 17, 5, 120
	right := 90
	for _, g := range groups {
		for _, v := range g.Bars {
			right = max(right, 7*utf8.RuneCountInString(v.Text)+10)
		}
	}
	b := new(strings.Builder)
	y := 8
	for _, g := range groups {
		longest := 0.0
		for _, v := range g.Bars {
			longest = max(longest, v.Value)
		}
		if longest == 0 {
			continue
		}
		fmt.Fprintf(b, `<text class="t" x="0" y="%d">%s</text>`+"\n", y+13, esc(g.Title))
		y += bar + gap
		for _, v := range g.Bars {
			length := float64(width-left-right) * v.Value / longest
			class := "o"
			if v.Strong || Family(v.Name) == "f-rtbwire" {
				class = "w"
			}
			fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/><text x="%.1f" y="%d">%s</text>`+"\n",
				left-8, y+13, esc(v.Name), class, left, y, max(length, 1), bar, left+length+6, y+13, esc(v.Text))
			y += bar + gap
		}
		y += 14
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
<style>text { font: 12px system-ui, sans-serif; fill: #57606a; } .t { font-size: 13px; font-weight: 600; fill: #1f2328; } .w { fill: #0b6bcb; } .o { fill: #9aa7b4; }
@media (prefers-color-scheme: dark) { text { fill: #9da7b1; } .t { fill: #e6edf3; } .w { fill: #5aa9f5; } .o { fill: #5d6976; } }</style>
%s</svg>
`, width, y, width, y, esc(label), b)
}
