package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/report"
	"github.com/rtbwire/rtbwire/lab/rerun"
)

// Every figure of a published experiment that rows use is one that a run of it has.
func TestPublishedFiguresAreMeasured(t *testing.T) {
	measured, asked := rerun.Names(), 0
	for _, name := range names(sources()) {
		if strings.HasPrefix(name, "published/") {
			asked++
			if !slices.Contains(measured, name) {
				t.Errorf("no run has the figure %s", name)
			}
		}
	}
	if asked < 40 {
		t.Errorf("rows use %d figures of published experiments", asked)
	}
}

// The articles that can be measured again are judged by that, except for what their experiments do
// not have.
func TestArticlesAreJudgedOnTheirOwnExperiment(t *testing.T) {
	other := []string{
		"arithmetic/", "census/", "decode/banner/encoding-json/over-encoding-json-contaminated", "decode/banner/jsoniter-contaminated/",
		"decode/banner/easyjson/", "decode/app/easyjson/", "decode/mixed_shuffled/easyjson/",
	}
	for _, s := range []Source{openrtbParsing, handwrittenDecoder} {
		for _, r := range s.Rows {
			for _, test := range r.Tests {
				own := strings.HasPrefix(test.Figure, "published/")
				if !own && !slices.ContainsFunc(other, func(part string) bool { return strings.HasPrefix(test.Figure, part) }) {
					t.Errorf("%s, %s is judged by %s", s.Name, r.ID, test.Figure)
				}
			}
		}
	}
}

// sentIn is a line from a machine that has not measured everything.
func sentIn() *figures.File {
	return &figures.File{
		Command: "make bench-published", Machine: report.Machine{CPU: "Apple M2 Pro", Cores: 10, OS: "darwin", Arch: "arm64", Go: "go1.26.2"},
		Figures: map[string]figures.Figure{
			"published/banner/encoding-json/over-gojson": figure(4.834, 4.8, 4.9), "published/parallel/10/saved/gojson-pool": figure(0.421, 0.4, 0.44),
		},
	}
}

func TestRowsFromOtherMachines(t *testing.T) {
	p := &Page{Files: []*figures.File{{Program: "decode"}}}
	if text := p.machines(); !strings.Contains(text, "| Apple M2 Pro, *as published* | 10 or 12 | go1.26.2 | 3.5× | 4.8× |") || !strings.Contains(text, "Nobody") {
		t.Errorf("got %s", text)
	}
	here := &figures.File{
		Program: "published", Machine: report.Machine{CPU: "a server", Cores: 2, OS: "linux", Arch: "amd64", Go: "go1.26.8"},
		Preliminary: []string{"short"}, Figures: map[string]figures.Figure{"published/banner/fast-byteloop/over-fast-vectors": figure(1.05, 1.04, 1.06)},
	}
	p.Files, p.Sent = append(p.Files, here), []*figures.File{sentIn()}
	text := p.machines()
	for _, want := range []string{
		"| a server, linux/amd64, *here* \\* | 2 | go1.26.8 | not measured |", "| 1.05× [1.04, 1.06] |",
		"| Apple M2 Pro, darwin/arm64 | 10 | go1.26.2 | not measured | 4.83× [4.8, 4.9] |", "| 42.1% [40, 44] |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Nobody") {
		t.Error("somebody has sent a line in")
	}
}

// A line goes from the runs that make it to the page.
func TestLinesAreRead(t *testing.T) {
	folder := t.TempDir()
	if sent, err := readSent(folder); err != nil || sent != nil {
		t.Errorf("%v, %v", sent, err)
	}
	f := sentIn()
	f.Program = "published"
	f.Figures["published/banner/encoding-json/over-jsoniter"] = figure(3.5, 3.4, 3.6)
	f.Figures["published/banner/gojson/ns"] = figure(1590, 1580, 1600)
	all := figures.All{}
	if _, err := line(all); err == nil {
		t.Error("a line of no run")
	}
	for name := range f.Figures {
		all[name] = f
	}
	const manyCores = "cpp/packets/all/yyjson-malloc-needle/time-of-one"
	all[manyCores] = &figures.File{Program: "cpp", Preliminary: []string{"short"}, Figures: map[string]figures.Figure{manyCores: figure(1.02468, 1, 1.1)}}
	text, err := line(all)
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Fatalf("%s, %v", text, err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("README.md", []byte("# Lines"))
	write("m2.json", text)
	sent, err := readSent(folder)
	if err != nil || len(sent) != 1 || len(sent[0].Figures) != 4 || sent[0].Machine.CPU != "Apple M2 Pro" || sent[0].Figures[manyCores].Value != 1.025 ||
		!slices.Equal(sent[0].Preliminary, []string{"short"}) {
		t.Fatalf("%+v, %v", sent, err)
	}
	if err := f.Write(filepath.Join(folder, "whole.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := readSent(folder); err == nil || !strings.Contains(err.Error(), "published/banner/gojson/ns") {
		t.Errorf("a file that is no line: %v", err)
	}
	write("whole.json", []byte("{"))
	if _, err := readSent(folder); err == nil {
		t.Error("half a line is read")
	}
}

// Every column is a figure that somebody measures.
func TestColumns(t *testing.T) {
	for _, c := range columns {
		if !slices.Contains(rerun.Names(), c.figure) && !slices.Contains(names(sources()), c.figure) {
			t.Errorf("no figure %s", c.figure)
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]float64{0: 0, 4.83291: 4.833, -0.123456: -0.1235, 12347: 12350} {
		if got := short(v); got != want {
			t.Errorf("%v: %v", v, got)
		}
	}
}

// The lines that are kept can be read.
func TestKeptLines(t *testing.T) {
	if _, err := readSent(filepath.Join(repository(t), "lab", "results", "published")); err != nil {
		t.Error(err)
	}
}

// A rank correlation is no better known than what it ranks, here as in the service of the lab.
func TestShakyPercentilesOfPublished(t *testing.T) {
	f := &figures.File{Figures: map[string]figures.Figure{
		"published/service/order/kendall/allocs-p99": figure(0.8, 0.8, 0.8), "published/service/gojson/p99": figure(5, 1, 12),
		"published/service/gojson/mean": figure(5, 1, 100), "published/banner/gojson/allocs": figure(1, 1, 50), "service/gojson/p99": figure(1, 1, 99),
	}}
	if of, factor := shakiest("published/service/order/kendall/allocs-p99", f); of != "published/service/gojson/p99" || factor != 12 {
		t.Errorf("%s, %v", of, factor)
	}
	if _, factor := shakiest("published/service/gojson/p99", f); factor != 1 {
		t.Errorf("a percentile is as wide as it is: %v", factor)
	}
}
