package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

func newBidder(tb testing.TB) *Bidder {
	tb.Helper()
	b, err := NewBidder(campaign)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// post sends a body without a server.
func post(b http.Handler, body io.Reader) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", body))
	return w
}

const (
	bid     = http.StatusOK
	nothing = http.StatusNoContent
)

func TestAnswers(t *testing.T) {
	b := newBidder(t)
	for _, c := range []struct {
		name, body string
		status     int
		want       string // in the response
	}{
		{"a size of the campaign", `{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":250}}]}`, bid, `"bid":[{"id":"a","impid":"a","price":1.25,`},
		{"a format", `{"id":"1","imp":[{"id":"a","banner":{"format":[{"w":1,"h":1},{"w":320,"h":50}]}}]}`, bid, `"w":320,"h":50`},
		{"what exchanges send", `{"id":7,"imp":[{"id":"a","bidfloor":"1.25","banner":{"w":"300","h":"250"}}]}`, bid, `{"id":"7","seatbid":`},
		{"one of two impressions", `{"id":"1","imp":[{"id":"a","video":{"mimes":["video/mp4"]}},{"id":"b","banner":{"w":300,"h":250}}]}`, bid, `"bid":[{"id":"b"`},
		{"another size", `{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":251}}]}`, nothing, ""},
		{"a floor too high", `{"id":"1","imp":[{"id":"a","bidfloor":1.26,"banner":{"w":300,"h":250}}]}`, nothing, ""},
		{"a floor in another currency", `{"id":"1","imp":[{"id":"a","bidfloor":1,"bidfloorcur":"EUR","banner":{"w":300,"h":250}}]}`, nothing, ""},
		{"only other currencies", `{"id":"1","cur":["EUR"],"imp":[{"id":"a","banner":{"w":300,"h":250}}]}`, nothing, ""},
		{"another type", `{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":250,"mimes":["image/png"]}}]}`, nothing, ""},
		{"a blocked advertiser", `{"id":"1","badv":["advertiser.example"],"imp":[{"id":"a","banner":{"w":300,"h":250}}]}`, nothing, ""},
		{"a private auction", `{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":250},"pmp":{"private_auction":1,"deals":[{"id":"d"}]}}]}`, nothing, ""},
		{"an invalid request", `{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":250}},{"id":"a"}]}`, bid, `{"id":"1","nbr":2}`},
		{"an invalid request without id", `{"imp":[{"id":"a","banner":{"w":300,"h":250}}]}`, nothing, ""},
		{"not JSON", `{"id":"1"`, nothing, ""},
		{"nothing", ``, nothing, ""},
		{"too long", `{"id":"` + strings.Repeat("1", bodyMax) + `"}`, nothing, ""},
	} {
		w := post(b, strings.NewReader(c.body))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) || (w.Body.Len() > 0) != (c.want != "") {
			t.Errorf("%s: status %d, %s; want %d, %s", c.name, w.Code, w.Body, c.status, c.want)
		}
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != http.MethodPost {
		t.Errorf("GET: status %d", w.Code)
	}
}

// TestCampaignThatCannotBeWritten has a price that JSON can't write.
func TestCampaignThatCannotBeWritten(t *testing.T) {
	c := campaign
	c.Price = math.Inf(1)
	b, err := NewBidder(c)
	if err != nil {
		t.Fatal(err)
	}
	if w := post(b, strings.NewReader(`{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":250}}]}`)); w.Code != nothing {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

// TestCorpus sends the corpus from many goroutines through a real connection. The bids are checked
// against their requests: another request's memory would show. Run it with -race.
func TestCorpus(t *testing.T) {
	server := httptest.NewServer(newBidder(t))
	defer server.Close()
	engine, err := schema.New(schema.WithPreset(schema.Exchange))
	if err != nil {
		t.Fatal(err)
	}
	docs := testkit.Requests(t)
	const goroutines = 8
	var mu sync.Mutex
	counts, bids := map[int]int{}, 0
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			checker, client := engine.NewChecker(), &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := g; i < len(docs); i += goroutines {
				status, body, err := send(client, server.URL, docs[i])
				if err != nil {
					t.Errorf("request %d: %v", i, err)
					return
				}
				mu.Lock()
				counts[status]++
				mu.Unlock()
				if status == nothing {
					continue
				}
				response, err := openrtb.ParseResponse(body)
				if err != nil {
					t.Errorf("request %d: %v in %s", i, err, body)
					return
				}
				if response.NBR != nil {
					continue
				}
				mu.Lock()
				bids += len(response.SeatBid[0].Bid)
				mu.Unlock()
				if report := checker.Response(body); !report.Valid() {
					t.Errorf("request %d: the response %s has %+v", i, body, report.Findings)
				}
				for _, f := range checker.Pair(docs[i], body).Findings {
					if f.Severity == schema.Error || strings.HasPrefix(f.ID, "Bid.") {
						t.Errorf("request %d: %s does not fit the request: %s at %s", i, body, f.ID, f.Path)
					}
				}
			}
		})
	}
	all.Wait()
	if bids < 100 || counts[nothing] < 100 || counts[bid]+counts[nothing] != len(docs) {
		t.Errorf("answers by status: %v, %d bids", counts, bids)
	}
}

func send(client *http.Client, url string, body []byte) (int, []byte, error) {
	r, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, text, err
}

// TestServe stops the server while a request is on its way: it is still answered.
func TestServe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, listener) }()
	body := &slowBody{text: `{"id":"1","imp":[{"id":"a","banner":{"w":300,"h":250}}]}`, halfway: stop}
	r, err := http.Post("http://"+listener.Addr().String(), "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != bid {
		t.Errorf("status %d", r.StatusCode)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := serve(t.Context(), listener); err == nil {
		t.Error("a closed listener is served")
	}
}

// slowBody calls halfway in the middle of the text.
type slowBody struct {
	text    string
	halfway func()
	calls   int
}

func (b *slowBody) Read(p []byte) (int, error) {
	switch b.calls++; b.calls {
	case 1:
		return copy(p, b.text[:20]), nil
	case 2:
		time.Sleep(20 * time.Millisecond) // the server is reading
		b.halfway()
		time.Sleep(20 * time.Millisecond) // and is shutting down
		return copy(p, b.text[20:]), io.EOF
	}
	return 0, io.EOF
}

// BenchmarkBidder answers the corpus, without the network.
func BenchmarkBidder(b *testing.B) {
	bidder, docs := newBidder(b), testkit.Requests(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r, body, w := httptest.NewRequest(http.MethodPost, "/", nil), new(bytes.Reader), new(discard)
		r.Body = io.NopCloser(body)
		for i := 0; pb.Next(); i++ {
			body.Reset(docs[i%len(docs)])
			bidder.ServeHTTP(w, r)
		}
	})
}

// discard is a response without a reader.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header {
	if d.header == nil {
		d.header = http.Header{}
	}
	return d.header
}

func (*discard) Write(b []byte) (int, error) { return len(b), nil }

func (*discard) WriteHeader(int) {}
