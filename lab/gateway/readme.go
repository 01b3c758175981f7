package gateway

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

// The README of the repository shows the rates that are carried between these lines.
const (
	readmeFile  = "../README.md"
	readmeBegin = "<!-- gateway: written by \"cd lab && go run . gateway readme\" -->\n"
	readmeEnd   = "<!-- /gateway -->"
)

// noLine is what the README shows without results.
const noLine = "`make bench ARGS=gateway` measures on your machine what the gateway carries; no run on a quiet machine is kept here yet.\n"

// writeREADME writes the line of the README. Preliminary results are refused.
func writeREADME(file string) error {
	r, err := Load(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(readmeFile)
	if err != nil {
		return err
	}
	out, err := r.README(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(readmeFile, []byte(out), 0o644)
}

// README returns the README with the line in it.
func (r *Results) README(readme string) (string, error) {
	before, rest, ok := strings.Cut(readme, readmeBegin)
	_, after, closed := strings.Cut(rest, readmeEnd)
	if !ok || !closed {
		return "", fmt.Errorf("README.md has no place for the gateway: %s and %s", strings.TrimSpace(readmeBegin), readmeEnd)
	}
	line := noLine
	if _, ok := r.Parts["capacity"]; ok {
		if w := r.Warning(); w != "" {
			return "", errors.New("the README shows no preliminary results. " + w)
		}
		if r.carried(ownFull) == nil {
			return "", errors.New("the gateway carried no rate")
		}
		line = r.line()
	}
	return before + readmeBegin + line + readmeEnd + after, nil
}

// line returns what the README says.
func (r *Results) line() string {
	b := new(strings.Builder)
	own := r.carried(ownFull)
	info := r.Parts["capacity"]
	carries := thousands(own.Offered)
	if own.NotCarried == 0 {
		carries = "at least " + carries
	}
	fmt.Fprintf(b, "One core of a gateway with the whole verdict carries **%s requests a second** for %.0f minutes with p99 below 5 ms (%s, measured %s; the handlers for %.0f minutes):\n\n",
		carries, own.Seconds/60, info.Machine.CPU, info.Taken.Format("2006-01-02"), min(own.Seconds, holdOthers.Seconds())/60)
	b.WriteString("| one core | requests/s | p99 | decoding | allocations | collector | cores for 50,000/s | 100,000/s | 200,000/s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range []struct{ name, text string }{
		{ownFull, "`rtbwire serve`, whole verdict"}, {goJSON, "net/http with go-json, a few checks"}, {stdJSON, "net/http with encoding/json, a few checks"},
	} {
		s := r.carried(c.name)
		if s == nil {
			continue
		}
		decoding := "not measured"
		if share, ok := r.share(c.name, s.Body, "decode"); ok {
			decoding = fmt.Sprintf("%.0f%%", 100*share)
		}
		fmt.Fprintf(b, "| %s | %s | %.2f ms | %s | %.1f | %.1f%% |", c.text, s.highest(), s.P99, decoding, s.Mallocs, 100*s.Collector)
		for _, rate := range loads {
			fmt.Fprintf(b, " %.0f |", math.Ceil(rate/s.Offered))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "\nThe rest, with nginx, HAProxy and a bare proxy: [docs/gateway-performance.md](docs/gateway-performance.md).\n")
	return b.String()
}
