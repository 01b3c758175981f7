package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

const (
	plotWidth, plotHeight = 720, 360
	plotLeft, plotRight   = 76, 180
	plotTop, plotBottom   = 14, 46
	plotX, plotY          = plotWidth - plotLeft - plotRight, plotHeight - plotTop - plotBottom
)

// Three colors that people with any color vision tell apart, on white.
var plotColors = []string{"#0072b2", "#d55e00", "#009e73", "#555555"}

// plot draws memory over time as an SVG document. The runs may differ in length, so that time is a
// share of each run. Memory has a logarithmic scale.
func plot(curves []curve) string {
	lo, hi := math.Inf(1), 1.0
	for _, c := range curves {
		for _, p := range c.Points {
			lo, hi = min(lo, max(p.Bytes, 1e5)), max(hi, p.Bytes)
		}
	}
	lo, hi = min(lo, hi/10)/1.3, hi*1.3
	y := func(bytes float64) float64 {
		return plotTop + plotY*(1-math.Log(max(bytes, lo)/lo)/math.Log(hi/lo))
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `, plotWidth, plotHeight)
	b.WriteString(`font-family="sans-serif" font-size="12">` + "\n")
	b.WriteString("<title>HeapAlloc above its start, over each run</title>\n")
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", plotWidth, plotHeight)
	for share := 0.0; share <= 1; share += 0.25 {
		x := plotLeft + plotX*share
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="#ddd"/>`, x, plotTop, plotTop+plotY)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%.0f%%</text>`+"\n", x, plotTop+plotY+16, share*100)
	}
	for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
		for _, v := range []float64{decade, 2 * decade, 5 * decade} {
			if v < lo || v > hi {
				continue
			}
			fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#ddd"/>`, plotLeft, y(v), plotLeft+plotX)
			fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
				plotLeft-6, y(v)+4, exactly(v, "B").short())
		}
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">share of the run's time</text>`+"\n",
		plotLeft+plotX/2, plotHeight-6)
	fmt.Fprintf(b, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">HeapAlloc</text>`+"\n",
		plotTop+plotY/2)
	for i, c := range curves {
		drawCurve(b, c, plotColors[i%len(plotColors)], plotTop+16+i*34, y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawCurve draws a curve, and its name with the run's length in the column beside the plot.
func drawCurve(b *strings.Builder, c curve, color string, labelY int, y func(float64) float64) {
	end := 0.0
	for _, p := range c.Points {
		end = max(end, p.Seconds)
	}
	var path strings.Builder
	for i, p := range c.Points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", command, plotLeft+plotX*p.Seconds/max(end, 1e-9), y(p.Bytes))
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", path.String(), color)
	x := plotLeft + plotX + 12
	fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text><text x="%d" y="%d" fill="%s">peak %s, %.2g s</text>`+"\n",
		x, labelY, color, html.EscapeString(c.Name),
		x, labelY+14, color, exactly(c.peak(), "B").short(), end)
}
