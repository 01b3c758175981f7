package replay

import (
	"math"
	"strings"

	"github.com/rtbwire/rtbwire/internal/plot"
)

// picture is a drawing of lines, in units of an SVG of pictureWidth by pictureHeight. The page's
// template draws its frame.
type picture struct {
	Title, Hint    string
	XTicks, YTicks []plot.Tick
	Lines          []curve
}

// curve is a line of a picture.
type curve struct{ Name, Class, Path string }

const (
	pictureWidth, pictureHeight = 480.0, 230.0
	pictureLeft, pictureRight   = 52.0, 20.0
	pictureTop, pictureBottom   = 10.0, 26.0
)

// series are the points of a curve.
type series struct {
	name, class string
	points      []plot.Point
}

func (s *series) add(x, y float64) { s.points = append(s.points, plot.Point{X: x, Y: y}) }

// span returns the smallest and the largest y of several series, of those above 0.
func span(list []*series) (low, high float64) {
	low, high = math.Inf(1), 0
	for _, s := range list {
		for _, p := range s.points {
			if high = max(high, p.Y); p.Y > 0 {
				low = min(low, p.Y)
			}
		}
	}
	if high == 0 {
		return 1, 10
	}
	return low, high
}

// draw adds curves and the ticks of their axis.
func (p *picture) draw(list []*series, x *plot.Axis, log bool) {
	low, high := span(list)
	var y plot.Axis
	if log {
		y, p.YTicks = plot.Logarithmic(low, high, pictureHeight-pictureBottom, pictureTop, tickCount)
	} else {
		y, p.YTicks = plot.Linear(high, true, pictureHeight-pictureBottom, pictureTop, tickCount)
	}
	for _, s := range list {
		p.Lines = append(p.Lines, curve{s.name, s.class, plot.Path(s.points, x, &y)})
	}
}

// dots turns a path of lines into one of short strokes, which round ends make points.
func dots(path string) string {
	if path == "" {
		return ""
	}
	return strings.ReplaceAll(path, "L", "h0M") + "h0"
}
