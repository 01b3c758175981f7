package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

func results() *report.Results {
	r := &report.Results{Rounds: 7, Sets: []report.Set{{Name: "banner", Docs: 1, Bytes: 804}, {Name: "app", Docs: 1, Bytes: 4378}}}
	r.Machine = report.Look()
	for i, name := range []string{"rtbwire-arena", "gojson", "encoding-json", "odd <one>"} {
		info := measure.Info{Name: name, Ops: map[measure.Op]bool{measure.Decode: true}}
		r.Engines = append(r.Engines, info)
		for j, set := range r.Sets {
			for _, g := range []int{1, 2} {
				ns := float64((i*10 + 1) * (j + 1) * 100)
				row := measure.Row{Engine: name, Set: set.Name, Op: measure.Decode, Goroutines: g, NS: ns, Lo: ns * 0.98, Hi: ns * 1.02, Wall: ns, Bytes: float64(i * 100), DocBytes: set.Bytes}
				if i == 3 {
					row.NS, row.Wrong = 0, "reads <something> else"
				}
				r.Rows = append(r.Rows, row)
			}
		}
		r.Services = append(r.Services, measure.ServiceResult{Engine: name, P50: 1000, P99: 2000, Max: 1e6})
	}
	return r
}

// The page needs nothing from elsewhere, and its pictures are well-formed.
func TestHTML(t *testing.T) {
	var b bytes.Buffer
	if err := results().HTML(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, bad := range []string{"http://", "https://", "<script", "@import", "url(", "<one>", "NaN", "Inf", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(text, -1)
	if len(pictures) < 4 {
		t.Errorf("%d pictures", len(pictures))
	}
	for _, p := range pictures {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, p)
			}
		}
	}
	if !strings.Contains(text, "not timed: reads &lt;something&gt; else") {
		t.Error("what was wrong is not said")
	}
}

// Labels at the ends of lines keep the order of the ends and their distance, however many there are.
func TestLabels(t *testing.T) {
	r := results()
	r.Engines = nil
	r.Rows = nil
	for i := range 20 {
		name := fmt.Sprintf("engine%02d", i)
		r.Engines = append(r.Engines, measure.Info{Name: name})
		for j, set := range r.Sets {
			ns := 1000*float64(j+1) + float64(20-i)
			r.Rows = append(r.Rows, measure.Row{Engine: name, Set: set.Name, Op: measure.Decode, Goroutines: 1, NS: ns, Lo: ns, Hi: ns, Wall: ns})
		}
	}
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	last, n := 0.0, 0
	picture := b.String()[strings.Index(b.String(), `id="size"`):]
	picture = picture[:strings.Index(picture, "</svg>")]
	for _, m := range regexp.MustCompile(`<text class="name [^"]*" x="[^"]*" y="([^"]*)">engine(\d\d)`).FindAllStringSubmatch(picture, -1) {
		y, err := strconv.ParseFloat(m[1], 64)
		if err != nil || m[2] != fmt.Sprintf("%02d", n) || y < last+11.9 {
			t.Errorf("label %s at %v behind %v, %v", m[2], y, last, err)
		}
		last = y
		n++
	}
	if n != 20 {
		t.Errorf("%d labels", n)
	}
}

func TestTargets(t *testing.T) {
	r := results()
	want := map[string]string{
		"ParseFastArena, banner, against the best of goccy/go-json and sonic": "yes",  // 11 times
		"ParseFastArena, the same, indented":                                  "open", // no such set
		"ParseFast, banner":                                                   "open", // no such engine
	}
	for _, target := range r.Targets() {
		if mark, ok := want[target.What]; ok && mark != target.Mark() {
			t.Errorf("%s: %s (%s), want %s", target.What, target.Mark(), target.Got, mark)
		}
		delete(want, target.What)
	}
	if len(want) > 0 {
		t.Errorf("no targets %v", want)
	}
}

func TestMarkdownAndFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	if err := results().Write(file); err != nil {
		t.Fatal(err)
	}
	r, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := errors.Join(r.Markdown(&a), results().Markdown(&b)); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() || !strings.Contains(a.String(), "| gojson | 1100 ns ±2% |") {
		t.Errorf("got\n%s", a.String())
	}
}
