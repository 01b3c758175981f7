package plot

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// wellFormed fails unless a picture is XML.
func wellFormed(t *testing.T, picture string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, picture)
		}
	}
}

func sample() *Plot {
	return &Plot{X: "x <", Y: "y &", Lines: true, Series: []Series{
		{"rtbwire-arena", []Point{{1, 2}, {3, 4}}},
		{"encoding-json-v2", []Point{{1, 2}, {3, 4}}},
		{"empty", nil},
	}}
}

// TestPlot draws plots with all kinds of axes.
func TestPlot(t *testing.T) {
	for _, logX := range []bool{false, true} {
		for _, logY := range []bool{false, true} {
			p := sample()
			p.LogX, p.LogY = logX, logY
			picture := string(p.SVG())
			wellFormed(t, picture)
			if strings.Count(picture, "<circle") != 4 || strings.Count(picture, "<path") != 3 ||
				strings.Count(picture, `class="grid"`) < 4 || !strings.Contains(picture, `aria-label="y &amp; against x &lt;"`) {
				t.Errorf("log %t, %t:\n%s", logX, logY, picture)
			}
			if strings.Count(string(p.Both()), "<svg") != 2 {
				t.Error("not drawn for phones")
			}
		}
	}
	for _, empty := range []*Plot{{}, {Series: []Series{{"a", nil}}}} {
		if empty.SVG() != "" || empty.File() != "" {
			t.Error("a plot without points is drawn")
		}
	}
}

// TestFile draws a file of its own, with the colors of both kinds of pages.
func TestFile(t *testing.T) {
	file := sample().File()
	wellFormed(t, file)
	if !strings.HasPrefix(file, `<svg xmlns="http://www.w3.org/2000/svg"`) || strings.Count(file, "<style>") != 1 ||
		!strings.Contains(file, "prefers-color-scheme: dark") {
		t.Error(file)
	}
}

// TestLabels wants the labels of lines that end at one place apart, in the order of the ends.
func TestLabels(t *testing.T) {
	for _, column := range []bool{true, false} {
		labels := []label{{10, 100, "one"}, {12, 101, "two"}, {11, 102, "three"}}
		spreadLabels(labels, &wideFrame, column)
		for i := range labels {
			for j := range i {
				if d := labels[i].y - labels[j].y; max(d, -d) < wideFrame.spacing-0.2 {
					t.Errorf("column %t: %+v", column, labels)
				}
			}
		}
	}
}

// TestBars draws groups, without one that has no values.
func TestBars(t *testing.T) {
	picture := DrawBars("all & more", []Bars{
		{"first <", []Bar{{Name: "rtbwire", Value: 1, Text: "1 µs"}, {Name: "other", Value: 4, Text: "4 µs"}}},
		{"nothing", []Bar{{Name: "none"}}},
	})
	wellFormed(t, picture)
	if strings.Count(picture, "<rect") != 2 || strings.Count(picture, `class="w"`) != 1 || strings.Contains(picture, "nothing") ||
		!strings.Contains(picture, "first &lt;") {
		t.Error(picture)
	}
}

// TestStrips draws histograms for wide pages and for phones.
func TestStrips(t *testing.T) {
	s := &Strips{X: "ns", TicksX: []Tick{{10, "10"}, {1e9, "outside"}}, Rows: []Strip{
		{Name: "a", Buckets: []Bucket{{1, 10, 5}, {10, 100, 0}, {100, 1000, 1}}, Marks: []Tick{{5, "p50"}, {900, "p99"}}},
		{Name: "b", Buckets: []Bucket{{1, 10, 1}}},
	}}
	picture := string(s.Both())
	wellFormed(t, "<both>"+picture+"</both>")
	if strings.Count(picture, "<rect") != 2*3 || strings.Count(picture, "outside") != 0 || strings.Count(picture, "p99") != 2 {
		t.Error(picture)
	}
	if (&Strips{Rows: []Strip{{Name: "a"}}}).Both() != "" {
		t.Error("histograms of nothing are drawn")
	}
}

// TestTicks wants round values within the range.
func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		lo, hi float64
		log    bool
		want   string
	}{
		{0, 10, false, "0 2 4 6 8 10"}, {0, 3500, false, "0 1k 2k 3k"}, {1, 50, true, "1 2 5 10 20 50"}, {1, 2e6, true, "1 10 100 1k 10k 100k 1M"},
	} {
		var got []string
		for _, tick := range ticks(tc.lo, tc.hi, tc.log) {
			got = append(got, tick.Text)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v to %v: %q, want %q", tc.lo, tc.hi, got, tc.want)
		}
	}
}

func TestFamily(t *testing.T) {
	for name, want := range map[string]string{"rtbwire-arena": "f-rtbwire", "encoding-json-v2": "f-std", "go<json>": "f-gojson", "": "f-"} {
		if got := Family(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestEnvelope keeps every peak, and the order.
func TestEnvelope(t *testing.T) {
	var points []Point
	for i := range 1000 {
		points = append(points, Point{float64(i), float64(i * 7919 % 101)})
	}
	points[333].Y, points[700].Y = 1e6, -1e6
	got := Envelope(points, 20)
	if len(got) > 40 || !slices.IsSortedFunc(got, func(a, b Point) int { return cmp.Compare(a.X, b.X) }) {
		t.Errorf("%d points, in order or not: %v", len(got), got)
	}
	for _, peak := range []int{333, 700} {
		if !slices.Contains(got, points[peak]) {
			t.Errorf("the peak %v is lost", points[peak])
		}
	}
	if few := Envelope(points[:40], 20); len(few) != 40 {
		t.Errorf("%d of 40 points", len(few))
	}
	if flat := Envelope(slices.Repeat([]Point{{1, 2}}, 100), 10); len(flat) != 10 {
		t.Errorf("%d points of a flat line, want one of each run", len(flat))
	}
}
