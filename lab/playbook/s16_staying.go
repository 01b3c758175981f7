package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/openrtb"
)

var staying = experiment{
	section: 16, name: "staying", title: "When NOT to switch off stdlib",
	says: "Marshal of a small struct takes less than a microsecond. In a handler that does anything else, JSON is a single-digit " +
		"percentage of the time, and a library five times as fast saves about 1%. Switch when JSON takes more than 10% of the CPU time. " +
		"sonic needs amd64 Linux for full performance and falls back to a slower path on darwin/arm64.",
	method: "A server and a client on the loopback interface: the share of a round trip that Marshal of the answer takes, and four " +
		"fifths of it, which a library five times as fast saves. Then a handler, called without a network, that decodes a bid request of " +
		"804 bytes and does other work (SHA-256, some number of times), with encoding/json and with go-json. Of sonic, " +
		"whether a build for a platform has the package that compiles decoders to machine code.",
	cases: []label{
		{"marshal-small", "Marshal of the struct of six fields"},
		{"decode", "decoding the request, encoding/json"},
		{"decode-gojson", "decoding the request, go-json"},
		{"handler-0", "the handler, no other work, encoding/json"},
		{"handler-0-gojson", "the handler, no other work, go-json"},
		{"handler-100", "the handler, SHA-256 100 times, encoding/json"},
		{"handler-100-gojson", "the handler, SHA-256 100 times, go-json"},
		{"handler-400", "the handler, SHA-256 400 times, encoding/json"},
		{"handler-400-gojson", "the handler, SHA-256 400 times, go-json"},
		{"handler-1000", "the handler, SHA-256 1,000 times, encoding/json"},
		{"handler-1000-gojson", "the handler, SHA-256 1,000 times, go-json"},
	},
	values: []label{
		{"round-trip/ns", "a round trip over loopback, median wall time"},
		{"round-trip/json-share", "Marshal's share of a round trip"},
		{"round-trip/saved-of-five", "saved of a round trip by a library five times as fast"},
		{"decode/over-decode-gojson", "decoding: time of encoding/json / go-json"},
		{"handler-0/json-share", "no other work: share of decoding in the handler's CPU time"},
		{"handler-0/gain", "no other work: CPU time saved by go-json"},
		{"handler-0/saved-of-five", "no other work: saved by a library five times as fast, by arithmetic"},
		{"handler-100/json-share", "SHA-256 100 times: share of decoding"},
		{"handler-100/gain", "SHA-256 100 times: CPU time saved by go-json"},
		{"handler-100/saved-of-five", "SHA-256 100 times: saved by a library five times as fast, by arithmetic"},
		{"handler-400/json-share", "SHA-256 400 times: share of decoding"},
		{"handler-400/gain", "SHA-256 400 times: CPU time saved by go-json"},
		{"handler-400/saved-of-five", "SHA-256 400 times: saved by a library five times as fast, by arithmetic"},
		{"handler-1000/json-share", "SHA-256 1,000 times: share of decoding"},
		{"handler-1000/gain", "SHA-256 1,000 times: CPU time saved by go-json"},
		{"handler-1000/saved-of-five", "SHA-256 1,000 times: saved by a library five times as fast, by arithmetic"},
		{"sonic/compiles-linux-amd64", "sonic compiles decoders to machine code on linux/amd64"},
		{"sonic/compiles-darwin-arm64", "sonic compiles decoders to machine code on darwin/arm64"},
		{"rule/right", "handlers, of 4, for which the 10% rule tells whether go-json saves 5% or more, within the interval"},
	},
	keys: []string{
		"marshal-small/ns", "round-trip/json-share", "round-trip/saved-of-five", "handler-0/json-share", "handler-0/gain",
		"handler-400/json-share", "handler-400/gain",
	},
	claims: []claim{
		{"Marshal of a small struct takes less than a microsecond", "you marshal small structs", "marshal-small/ns", atMost(1000)},
		{"JSON is a single-digit percentage of a handler's time", "a small answer goes over the network, time by the clock", "round-trip/json-share", atMost(0.1)},
		{"five times as fast saves about 1% (2% at most)", "a small answer goes over the network, time by the clock", "round-trip/saved-of-five", atMost(0.02)},
		{"JSON is a single-digit percentage of a handler's time", "a handler decodes a bid request and does nothing else, CPU time", "handler-0/json-share", atMost(0.1)},
		{"JSON is a single-digit percentage of a handler's time", "a handler does about ten times as much as decoding, CPU time", "handler-400/json-share", atMost(0.1)},
		{"sonic has its full performance", "you run sonic on linux/amd64", "sonic/compiles-linux-amd64", exactlyOne()},
		{"sonic falls back to a slower path", "you run sonic on darwin/arm64", "sonic/compiles-darwin-arm64", atMost(0)},
		{"the 10% rule tells whether go-json saves 5% or more", "you apply the 10% rule to CPU time", "rule/right", atLeast(4)},
	},
	untested: "Database queries: the round trip has none, so the share with one is smaller. How much slower sonic is on arm64. Later releases of Go, maintenance, and habits.",
	seconds:  [2]float64{15, 2},
	run: func(t *trial) error {
		text, err := benchDocument("banner")
		if err != nil {
			return err
		}
		ways := []way{
			{name: "marshal-small", do: func() error { _, err := json.Marshal(someUser); return err }},
			{name: "decode", do: func() error { _, err := firstImpression(json.Unmarshal, text); return err }},
			{name: "decode-gojson", do: func() error { _, err := firstImpression(gojson.Unmarshal, text); return err }},
		}
		for _, passes := range []int{0, 100, 400, 1000} {
			name := fmt.Sprintf("handler-%d", passes)
			ways = append(ways, way{name: name, do: handle(bidder{json.Unmarshal, passes}, text)},
				way{name: name + "-gojson", do: handle(bidder{gojson.Unmarshal, passes}, text)})
		}
		if err := t.compare(ways...); err != nil {
			return err
		}
		t.over("decode", "decode-gojson")
		right := 0.0
		for _, name := range []string{"handler-0", "handler-100", "handler-400", "handler-1000"} {
			part := quotients(t.timings["decode"].rounds, t.timings[name].rounds)
			part.Unit = "share"
			rest := quotients(t.timings[name+"-gojson"].rounds, t.timings[name].rounds)
			gain := figures.Figure{Value: 1 - rest.Value, Lo: 1 - rest.Hi, Hi: 1 - rest.Lo, Unit: "share", Rounds: rest.Rounds}
			t.set(name+"/json-share", part)
			t.set(name+"/gain", gain)
			t.set(name+"/saved-of-five", times(part, 0.8))
			if part.Value > 0.1 && gain.Hi >= 0.05 || part.Value <= 0.1 && gain.Lo < 0.05 {
				right++
			}
		}
		t.set("rule/right", figures.Exactly(right, "handlers"))
		for _, platform := range [][2]string{{"linux", "amd64"}, {"darwin", "arm64"}} {
			compiles, err := sonicCompiles(platform[0], platform[1])
			if err != nil {
				return err
			}
			t.flag("sonic/compiles-"+platform[0]+"-"+platform[1], compiles)
		}
		t.say("round trips")
		trips, err := roundTrips(t.pick(5000, 1000, 5))
		if err != nil {
			return err
		}
		trip := median(trips, "ns")
		t.set("round-trip/ns", trip)
		part := times(t.found[t.prefix+"marshal-small/ns"], 1/trip.Value)
		part.Unit = "share"
		t.set("round-trip/json-share", part)
		t.set("round-trip/saved-of-five", times(part, 0.8))
		return nil
	},
}

func times(f figures.Figure, by float64) figures.Figure {
	f.Value, f.Lo, f.Hi = f.Value*by, f.Lo*by, f.Hi*by
	return f
}

// roundTrips measures requests over loopback that are answered with the struct of six fields.
func roundTrips(n int) (ns []float64, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := json.Marshal(someUser)
		if err == nil {
			_, _ = w.Write(text)
		}
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	client := &http.Client{Transport: &http.Transport{}}
	for range n {
		start := time.Now()
		response, err := client.Get("http://" + listener.Addr().String())
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return nil, err
		}
		ns = append(ns, float64(time.Since(start).Nanoseconds()))
	}
	client.CloseIdleConnections()
	err = server.Close()
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return ns, err
}

// bidder answers requests with a bid for their first impression.
type bidder struct {
	read   func([]byte, any) error
	passes int // the other work
}

func firstImpression(read func([]byte, any) error, text []byte) (string, error) {
	var r openrtb.BidRequest
	if err := read(text, &r); err != nil {
		return "", err
	}
	return r.Imp[0].ID, nil
}

func (b bidder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "body", http.StatusBadRequest)
		return
	}
	impression, err := firstImpression(b.read, text)
	if err != nil {
		http.Error(w, "document", http.StatusBadRequest)
		return
	}
	var sum [sha256.Size]byte
	for range b.passes {
		text[0] ^= sum[0] & 1 // each pass needs the one before
		sum = sha256.Sum256(text)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"%x","seatbid":[{"bid":[{"impid":"%s","price":0.5}]}]}`, sum[:8], impression)
}

// handle calls a handler as a server does, without the network.
func handle(h http.Handler, text []byte) func() error {
	return func() error {
		r, err := http.NewRequest(http.MethodPost, "/bid", bytes.NewReader(text))
		if err != nil {
			return err
		}
		w := &answering{header: http.Header{}, status: http.StatusOK}
		if h.ServeHTTP(w, r); w.status != http.StatusOK {
			return fmt.Errorf("status %d", w.status)
		}
		return nil
	}
}

// answering is a ResponseWriter that keeps only the status.
type answering struct {
	header http.Header
	status int
}

func (a *answering) Header() http.Header         { return a.header }
func (a *answering) WriteHeader(status int)      { a.status = status }
func (a *answering) Write(p []byte) (int, error) { return len(p), nil }

// sonicCompiles reports whether a build of sonic for a platform has the package that compiles
// decoders to machine code. Elsewhere decoders are made of functions.
func sonicCompiles(system, processor string) (bool, error) {
	list := exec.Command("go", "list", "-deps", "github.com/bytedance/sonic")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	packages, err := list.Output()
	if err != nil {
		return false, fmt.Errorf("the packages of sonic on %s/%s: %w", system, processor, err)
	}
	return bytes.Contains(packages, []byte("sonic/internal/decoder/jitdec\n")), nil
}
