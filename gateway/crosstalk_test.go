package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// talk is a request of TestNoCrossTalk. All of it follows from its id, so that whoever sees a part
// knows what the rest has to be.
type talk struct {
	id     string
	body   string // as it is sent, but for its encoding
	edited string // as it goes on with edits: N is tmax, S the score
	answer string // of the core
}

// talkOf returns the request with an id. Sizes are above and below those of buffers that are kept.
func talkOf(id string) talk {
	h := fnv.New64a()
	io.WriteString(h, id)
	sum := h.Sum64()
	size := int(sum % 3000)
	switch sum >> 32 % 8 {
	case 0:
		size = int(sum % 40_000)
	case 1:
		size = keepMax + int(sum%40_000)
	}
	mark := id + "-"
	var long []byte // numbered, or gzip would make too little of it
	for n := 0; len(long) < size; n++ {
		long = strconv.AppendUint(append(long, mark...), sum*uint64(n+1), 36)
	}
	fill := string(long)
	const head = `{"id":"%s","imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"bundle":"com.example.a","name":"%s"},"device":{"ua":"%[1]s"`
	start := fmt.Sprintf(head, id, fill)
	return talk{
		id:     id,
		body:   start + `,"ifa":"` + mark + `"},"tmax":60000,"ext":{"x":"` + mark + `"}}`,
		edited: start + `},"tmax":N,"ext":{"x":"` + mark + `","rtbwire":{"action":"forward","reason":"","score":S}}}`,
		answer: `{"id":"` + id + `","ext":"` + fill + mark + `"}`,
	}
}

// belongs reports whether a body that the core got is the one with the id, edited or not.
func (own *talk) belongs(body string, edited bool) bool {
	if !edited {
		return body == own.body
	}
	var read struct {
		TMax int `json:"tmax"`
		Ext  struct {
			RTBWire struct{ Score int } `json:"rtbwire"`
		} `json:"ext"`
	}
	if json.Unmarshal([]byte(body), &read) != nil || read.TMax < 1 || read.TMax > 30_000 {
		return false
	}
	return body == strings.NewReplacer(`"tmax":N`, `"tmax":`+strconv.Itoa(read.TMax), `"score":S`, `"score":`+strconv.Itoa(read.Ext.RTBWire.Score)).Replace(own.edited)
}

// The kinds of requests.
const (
	talkPlain = iota
	talkZipped
	talkChunked
	talkEdited
	talkEditedZipped
	talkRefused
	talkMalformed
	talkVanishes
	talkKinds
)

// TestNoCrossTalk sends different requests of different sizes from 32 clients at once to both
// planes: plain, compressed, in chunks, edited, refused, malformed, cut off. What the core gets,
// what the client gets and what is captured belongs to its request. It is to be run with the race
// detector and with the tag rtbwiredebug, which spoils memory that is given back.
func TestNoCrossTalk(t *testing.T) {
	up := newCore(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		own := talkOf(r.Header.Get("X-Request-Id"))
		if edited := r.Header.Get("X-Edited") != ""; !own.belongs(string(body), edited) {
			t.Errorf("the request %s has a body of %d bytes that is not its own: %.200s", own.id, len(body), body)
		}
		if got := r.Header.Get("User-Agent"); got != "agent "+own.id || r.Header.Get("X-Rtbwire-Action") != "forward" || len(r.Header.Values("X-Rtbwire-Score")) != 1 {
			t.Errorf("the request %s has the headers %v", own.id, r.Header)
		}
		w.Header().Set("X-Core", own.id)
		io.WriteString(w, own.answer)
	})
	program, err := scrub.Compile(scrub.Spec{Remove: []string{"/device/ifa"}})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := inspect.New(inspect.Config{Annotate: true, Global: inspect.Layer{Scrubs: []inspect.Scrub{{Program: program}}}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	captures, err := capture.Open(capture.Options{Folder: folder, Raw: true, RateMax: capture.RateMaxMax, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	plain := Options{
		Upstreams: At(up.URL), NoBid: NoBid200, OverloadTolerance: -1, UpstreamTimeout: 30 * time.Second, FactHeaders: []string{"X-Mark"},
		Capture: captures, CaptureShares: Shares{Forwarded: 1, Refused: 1},
	}
	edited := plain
	edited.Engine, edited.LowerTMax = engine, true
	gateways := [2][2]*started{{start(t, plain), start(t, edited)}, {startStd(t, plain), startStd(t, edited)}}

	const clients = 32
	rounds := testkit.Scale(t, 4, 12, 500)
	var all sync.WaitGroup
	var answered atomic.Int64
	for n := range clients {
		all.Go(func() {
			c := client(t)
			for i := range rounds {
				own := talkOf(fmt.Sprintf("request%dx%d", n, i))
				kind := (n + i) % talkKinds
				plane := gateways[(n+i/talkKinds)%2]
				if kind == talkVanishes {
					own.vanish(t, plane[i%2].addr)
					continue
				}
				own.send(t, c, plane, kind)
				answered.Add(1)
			}
		})
	}
	all.Wait()
	if want := int64(clients * rounds * (talkKinds - 1) / talkKinds); answered.Load() < want {
		t.Errorf("%d requests were answered, want %d", answered.Load(), want)
	}

	if err := captures.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := captured(t, folder)
	for _, r := range lines {
		id := strings.TrimPrefix(r.Facts.UserAgent, "agent ")
		own := talkOf(id)
		if text := string(r.Request); text != own.body && text != own.refused() && text != own.malformed() || len(r.Facts.Headers) != 1 || r.Facts.Headers[0].Value != id {
			t.Errorf("the capture of %s is not its own: %.200s, %v", id, text, r.Facts.Headers)
		}
	}
	if s := captures.Stats(); len(lines) == 0 || uint64(len(lines)) != s.Lines {
		t.Errorf("%d lines of captures, %+v", len(lines), s)
	}
}

// refused is the request without an impression, malformed is half of it.
func (own *talk) refused() string {
	return strings.Replace(own.body, `"imp":[{"id":"1","banner":{"w":300,"h":250}}]`, `"imp":[]`, 1)
}
func (own *talk) malformed() string { return own.body[:len(own.body)/2] }

// send sends a request and checks the answer.
func (own *talk) send(t *testing.T, c *http.Client, plane [2]*started, kind int) {
	text, g := []byte(own.body), plane[0]
	r, err := http.NewRequest(http.MethodPost, g.url(PathDefault), nil)
	if err != nil {
		t.Error(err)
		return
	}
	if kind == talkEdited || kind == talkEditedZipped {
		g = plane[1]
		r.URL.Host = g.addr
		r.Header.Set("X-Edited", "1")
	}
	switch kind {
	case talkZipped, talkEditedZipped:
		text = zipped(t, text)
		r.Header.Set("Content-Encoding", "gzip")
	case talkRefused:
		text = []byte(own.refused())
	case talkMalformed:
		text = []byte(own.malformed())
	}
	r.Header.Set("X-Request-Id", own.id)
	r.Header.Set("User-Agent", "agent "+own.id)
	r.Header.Set("X-Mark", own.id)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	if kind == talkChunked {
		r.ContentLength = -1
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Errorf("%s: %v", own.id, err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	status, want, core := http.StatusOK, own.answer, own.id
	switch kind {
	case talkRefused:
		want, core = `{"id":"`+own.id+`","nbr":2}`, ""
	case talkMalformed:
		status, want, core = http.StatusBadRequest, `{"nbr":2}`, ""
	}
	if err != nil || resp.StatusCode != status || string(body) != want || resp.Header.Get("X-Core") != core || resp.Header.Get("X-Request-Id") != own.id {
		t.Errorf("%s (kind %d): %v, status %d, headers %v, %d bytes: %.200s", own.id, kind, err, resp.StatusCode, resp.Header, len(body), body)
	}
}

// vanish sends a part of a request, and goes.
func (own *talk) vanish(t *testing.T, address string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nUser-Agent: agent %s\r\nContent-Length: %d\r\n\r\n%s", PathDefault, own.id, len(own.body), own.malformed())
	_ = c.Close()
}
