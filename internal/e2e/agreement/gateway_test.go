package agreement

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/internal/record"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

func askGateway(t *testing.T, s *config.Setup, docs [][]byte) []aspects {
	t.Helper()
	return askServer(t, s, docs, (*gateway.Gateway).Serve)
}

func askGatewayStd(t *testing.T, s *config.Setup, docs [][]byte) []aspects {
	t.Helper()
	return askServer(t, s, docs, (*gateway.Gateway).ServeStd)
}

// auction keeps what is forwarded to it.
type auction struct {
	mu  sync.Mutex
	all []aspects
}

// Do implements [gateway.Core].
func (a *auction) Do(req *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
	i, err := strconv.Atoi(string(req.Header.Peek("X-Document")))
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[i][forwarded] = string(req.Body())
	if got := string(req.Header.Peek("X-Rtbwire-Score")); got != a.all[i][score] && a.all[i][score] != "" {
		return fmt.Errorf("the score is %s", got)
	}
	resp.SetStatusCode(fasthttp.StatusNoContent)
	return nil
}

// captureBatch is how many requests may wait to be captured: fewer than the queue holds.
const captureBatch = capture.QueueMax / 4

// askServer posts the documents to a gateway that captures all of them, and reads the verdicts from
// the captures. What goes on comes to the auction. The findings of some refused ones are in the
// sample for operators.
func askServer(t *testing.T, s *config.Setup, docs [][]byte, serve func(*gateway.Gateway, net.Listener) error) []aspects {
	t.Helper()
	core := &auction{}
	for range docs {
		core.all = append(core.all, aspects{forwarded: ""})
	}
	own, err := gateway.Configured(&s.Config.Scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	kept, err := capture.Open(capture.Options{Folder: folder, RateMax: capture.RateMaxMax, Raw: true})
	if err != nil {
		t.Fatal(err)
	}
	o := own.Options
	o.Engine, o.Upstreams, o.Core = s.Engine, nil, core
	o.Capture, o.CaptureShares = kept, gateway.Shares{Forwarded: 1, Refused: 1}
	o.FullRejects, o.UpstreamTimeout, o.OverloadTolerance = true, time.Minute, -1
	o.Logger = slog.New(slog.DiscardHandler)
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(g, ln) }()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: time.Minute}
	for i, doc := range docs {
		post(t, client, "http://"+ln.Addr().String()+"/exchange-a", doc, i)
		if i%captureBatch == 0 || i == len(docs)-1 {
			waitForCaptures(t, kept, i+1)
		}
	}
	client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := errors.Join(g.Shutdown(ctx), <-served, kept.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	readCaptures(t, folder, docs, core.all)
	readRejects(g, core.all)
	return core.all
}

func post(t *testing.T, c *http.Client, url string, doc []byte, i int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", known.UserAgent)
	r.Header.Set(known.Headers[0].Name, known.Headers[0].Value)
	r.Header.Set("X-Document", strconv.Itoa(i))
	r.Header.Set("X-Request-Id", strconv.Itoa(i))
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode >= 500 {
		t.Fatalf("document %d: %s %v", i, answer.Status, err)
	}
}

// waitForCaptures waits until so many requests were captured, or can't be.
func waitForCaptures(t *testing.T, w *capture.Writer, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s := w.Stats()
		if s.Lines+s.Skipped.Line >= uint64(n) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d requests were sent, and captured: %+v", n, s)
		}
	}
}

// readCaptures reads the verdicts, and holds the facts to those that are known. A request that is
// not UTF-8 is in no capture.
func readCaptures(t *testing.T, folder string, docs [][]byte, all []aspects) {
	t.Helper()
	verdicts := map[string]record.Decision{}
	names, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			r, err := record.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			verdicts[string(r.Request)] = r.Expect
			r.Facts.Time = known.Time
			if got, want := fmt.Sprintf("%+v", r.Facts), fmt.Sprintf("%+v", known); got != want {
				t.Fatalf("the facts are %s, want %s", got, want)
			}
		}
	}
	for i, doc := range docs {
		if v, ok := verdicts[string(doc)]; ok {
			all[i][decision], all[i][score] = decisionOf(v.Action, v.Reason, v.NBR), strconv.Itoa(v.Score)
		}
	}
}

// readRejects reads the findings of the last refused requests. They are found by their ids.
func readRejects(g *gateway.Gateway, all []aspects) {
	for _, r := range g.Rejects() {
		i, err := strconv.Atoi(r.RequestID)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(r.Findings, func(f rejects.Finding) bool { return strings.HasSuffix(f.Path, "…") }) {
			continue // a long path is cut off for operators
		}
		all[i][findings] = ""
		for _, f := range r.Findings {
			all[i][findings] += findingOf(f.ID, f.Severity, f.Path, f.Offset)
		}
	}
}
