package gateway

import (
	"bytes"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/internal/record"
)

// captured returns the records of a folder.
func captured(tb testing.TB, folder string) (list []*record.Record) {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			r, err := record.Parse(line)
			if err != nil {
				tb.Fatal(err)
			}
			list = append(list, r)
		}
	}
	return list
}

// TestCapture captures what is judged: by shares of forwarded and refused requests, and those of a
// partner. What is captured changes nothing of what the core gets.
func TestCapture(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		folder := t.TempDir()
		w, err := capture.Open(capture.Options{Folder: folder, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		g := serve(Options{
			Upstreams: At(up.URL), Capture: w, CaptureShares: Shares{Forwarded: 1}, Passthrough: []Passthrough{{Path: "/win"}},
			Partners: []Partner{
				{Name: "refused", Match: Match{Path: "/refused"}, CaptureShares: &Shares{Refused: 1}},
				{Name: "same", Match: Match{Path: "/same"}},
				{Name: "timed", TMaxMs: 1, Match: Match{Path: "/late"}}, // never judged
			},
		})
		ok, bad := good(t), []byte(`{"id":"2","imp":[]}`)
		for _, body := range [][]byte{ok, bad} {
			for _, path := range []string{PathDefault, "/refused", "/same"} {
				g.post(t, path, body, "User-Agent", "sender")
			}
		}
		g.post(t, PathDefault, []byte(`{"id":`))
		g.send(t, "GET", "/win", nil)
		if list := up.take(); len(list) != 4 || !bytes.Equal(list[0].body, ok) {
			t.Errorf("the core got %d requests", len(list))
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, r := range captured(t, folder) {
			got[r.Facts.Partner+" "+r.Expect.Action+" "+r.Expect.Reason]++
			if r.Facts.UserAgent != "sender" || r.Facts.Peer.String() != "127.0.0.0" || r.Facts.Time.IsZero() {
				t.Errorf("facts %+v", r.Facts)
			}
		}
		if len(got) != 3 || got[" forward "] != 1 || got["same forward "] != 1 || got["refused refuse schema.BidRequest.channel.present"] != 1 {
			t.Errorf("captured %v", got)
		}
		registry := prometheus.NewRegistry()
		registry.MustRegister(g.Collector())
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "rtbwire_gateway_capture_lines_total" && f.GetMetric()[0].GetCounter().GetValue() == 3 {
				return
			}
		}
		t.Errorf("no metric says that there are 3 lines: %v", families)
	})
}

// TestCaptureShare captures about the share that is asked for.
func TestCaptureShare(t *testing.T) {
	w, err := capture.Open(capture.Options{Folder: t.TempDir(), RateMax: capture.RateMaxMax})
	if err != nil {
		t.Fatal(err)
	}
	serve, _ := served(t, Options{Capture: w, CaptureShares: Shares{Forwarded: 0.25}}, good(t))
	const sent = 2000
	for range sent {
		serve()
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := w.Stats()
	n := float64(s.Lines + s.Skipped.Queue)
	if sigma := math.Sqrt(sent * 0.25 * 0.75); math.Abs(n-sent*0.25) > 8*sigma {
		t.Errorf("%v of %d were captured", n, sent)
	}
}

// TestCaptureOptions refuses shares that are none.
func TestCaptureOptions(t *testing.T) {
	for _, s := range []Shares{{Forwarded: -1}, {Refused: 1.1}, {Forwarded: math.NaN()}} {
		if _, err := New(Options{Upstreams: At("http://127.0.0.1:9"), CaptureShares: s}); err == nil {
			t.Errorf("%+v is valid", s)
		}
		if _, err := New(Options{Upstreams: At("http://127.0.0.1:9"), Partners: []Partner{{Name: "a", CaptureShares: &s}}}); err == nil {
			t.Errorf("%+v is valid for a partner", s)
		}
	}
}
