package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/rtbwire/rtbwire/openrtb"
)

var leaving = experiment{
	name:   "leaving-stdlib",
	advice: "Replace encoding/json by a faster library: the service gets faster by as much.",
	method: "An HTTP handler, called without a network, reads a bid request, decodes it, does other work " +
		"(SHA-256 over the body, several times) and writes a small answer; once with encoding/json, once " +
		"with openrtb.ParseFastArena. The share of decoding and N, by which it gets faster, give the gain " +
		"that Amdahl's law predicts: 1 / (1 - share + share/N). It pays if the measured gain is at least " +
		"1.25.",
	varies:  "the share of decoding in all the CPU time",
	seconds: [2]float64{10, 1.2},
	run: func(t *trial) error {
		const worthwhile = 1.25
		text, err := benchDocument("banner")
		if err != nil {
			return err
		}
		for _, passes := range []int{0, 10, 50, 500} {
			work := fmt.Sprintf("SHA-256 %d times", passes)
			m, err := t.compare(work,
				way{"decode, encoding/json", func() error { _, err := slowDecode(text); return err }},
				way{"decode, ParseFastArena", func() error { _, err := fastDecode(text); return err }},
				way{"handler, encoding/json", handle(bidder{slowDecode, passes}, text)},
				way{"handler, ParseFastArena", handle(bidder{fastDecode, passes}, text)})
			if err != nil {
				return err
			}
			share, times, gain := ratio(m[0], m[2]), ratio(m[0], m[1]), ratio(m[2], m[3])
			predicted := 1 / (1 - share.Value + share.Value/times.Value)
			t.add(work+": share of decoding", share)
			t.add(work+": N, encoding/json / ParseFastArena", times)
			t.add(work+": gain predicted", exactly(predicted, ""))
			t.add(work+": gain measured", gain)
			t.add(work+": share from which a gain of 1.25 is possible", exactly((1-1/worthwhile)/(1-1/times.Value), ""))
			t.ask(fmt.Sprintf("%.0f%% in decoding", 100*share.Value),
				"time of the handler, encoding/json / ParseFastArena", gain, atLeast, worthwhile)
		}
		return nil
	},
}

// bidder answers requests with a bid for their first impression.
type bidder struct {
	decode func(text []byte) (impression string, err error)
	passes int // the other work
}

func slowDecode(text []byte) (string, error) {
	var r openrtb.BidRequest
	if err := json.Unmarshal(text, &r); err != nil {
		return "", err
	}
	return r.Imp[0].ID, nil
}

func fastDecode(text []byte) (string, error) {
	r, err := openrtb.ParseFastArena(text)
	if err != nil {
		return "", err
	}
	id := r.Imp[0].ID // lies in text, which outlives the answer
	openrtb.ReleaseArena(r)
	return id, nil
}

func (b bidder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "body", http.StatusBadRequest)
		return
	}
	impression, err := b.decode(text)
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
