package core

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/openrtb"
)

// serve runs a server until the test ends.
func serve(t *testing.T, address string, c Config) (*Server, *http.Client, string) {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, l.Addr().Network(), l.Addr().String())
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s, &http.Client{Transport: transport}, "http://core"
}

// request is a bid request with an id.
func request(id string) string {
	return fmt.Sprintf(`{"id":%q,"imp":[{"id":"1","banner":{"w":300,"h":250},"bidfloor":2}]}`, id)
}

// post sends a body and returns the answer.
func post(t *testing.T, client *http.Client, url, body string, fields ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestShares wants answers in the shares that were asked for, the same again for the same ids.
func TestShares(t *testing.T) {
	c := Config{BidShare: 0.5, ErrorShare: 0.1, GarbageShare: 0.1, ReasonShare: 0.5, KeepIDs: 3}
	s, client, url := serve(t, "127.0.0.1:0", c)
	const n = 2000
	answers := map[string]string{}
	bytesIn, bytesOut := 0, 0
	for i := range n {
		id := fmt.Sprint("r", i)
		status, body := post(t, client, url, request(id))
		answers[id] = fmt.Sprint(status, body)
		bytesIn += len(request(id))
		bytesOut += len(body)
	}
	got := s.Stats()
	for _, tt := range []struct {
		name  string
		count int64
		share float64
	}{{"bids", got.Bids, 0.5}, {"errors", got.Errors, 0.1}, {"garbage", got.Garbage, 0.1}, {"no bids", got.NoBids, 0.3}} {
		if math.Abs(float64(tt.count)/n-tt.share) > 0.04 {
			t.Errorf("%d %s of %d requests, expected a share of %v", tt.count, tt.name, n, tt.share)
		}
	}
	if got.Requests != n || got.BytesIn != int64(bytesIn) || got.BytesOut != int64(bytesOut) || got.InFlight != 0 || got.Malformed != 0 || got.Unbiddable != 0 {
		t.Errorf("%+v; %d bytes were sent, %d received", got, bytesIn, bytesOut)
	}
	if want := []string{"r1997", "r1998", "r1999"}; !reflect.DeepEqual(got.LastIDs, want) {
		t.Errorf("last ids %v, expected %v", got.LastIDs, want)
	}
	var counted Stats
	resp, err := client.Get(url + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&counted); err != nil || !reflect.DeepEqual(counted, got) {
		t.Errorf("/stats has %+v, %v, expected %+v", counted, err, got)
	}

	_, again, other := serve(t, "unix:"+filepath.Join(t.TempDir(), "s"), c)
	for i := range 200 {
		id := fmt.Sprint("r", i)
		if status, body := post(t, again, other, request(id)); fmt.Sprint(status, body) != answers[id] {
			t.Errorf("%s: %d %s, the first time %s", id, status, body, answers[id])
		}
	}
	c.Seed = 1
	_, seeded, url := serve(t, "127.0.0.1:0", c)
	same := 0
	for i := range 200 {
		id := fmt.Sprint("r", i)
		if status, body := post(t, seeded, url, request(id)); fmt.Sprint(status, body) == answers[id] {
			same++
		}
	}
	if same > 150 {
		t.Errorf("another seed gives the same answer to %d of 200 requests", same)
	}
}

// TestMalformed refuses what is not a bid request, and keeps the connection.
func TestMalformed(t *testing.T) {
	s, client, url := serve(t, "127.0.0.1:0", Config{BidShare: 1, MaxBody: 1000})
	pack := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, tt := range []struct {
		body, encoding string
		status         int
	}{
		{request("1"), "", 200},
		{request("1"), "identity", 200},
		{pack(request("1")), "gzip", 200},
		{"not json", "", 400},
		{"", "", 400},
		{request("1")[:20], "", 400},
		{request("1"), "gzip", 400},
		{request("1"), "br", 415},
		{pack(strings.Repeat(" ", 5000) + request("1")), "gzip", 413},
	} {
		if status, body := post(t, client, url, tt.body, "Content-Encoding", tt.encoding); status != tt.status || (status == 200) != (len(body) > 0) {
			t.Errorf("%.30q as %q: %d %q, expected %d", tt.body, tt.encoding, status, body, tt.status)
		}
	}
	if got := s.Stats(); got.Malformed != 6 || got.Bids != 3 || got.Requests != 9 {
		t.Errorf("%+v", got)
	}
	if status, _ := post(t, client, url, strings.Repeat(" ", 5000)+request("1")); status != 413 {
		t.Errorf("a plain body over the limit: %d, expected 413", status)
	}
	for _, tt := range []struct {
		method, path string
		status       int
	}{{"GET", "/healthz", 200}, {"HEAD", "/stats", 200}, {"GET", "/", 404}, {"DELETE", "/stats", 405}} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, url+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // it was not read
		if resp.StatusCode != tt.status {
			t.Errorf("%s %s: %d, expected %d", tt.method, tt.path, resp.StatusCode, tt.status)
		}
	}
}

// TestNothingToBidOn answers 204 to requests that leave nothing to bid on.
func TestNothingToBidOn(t *testing.T) {
	s, client, url := serve(t, "127.0.0.1:0", Config{BidShare: 1})
	for i, body := range []string{
		`{"imp":[{"id":"1","banner":{}}]}`,
		`{"id":"1"}`,
		`{"id":"1","imp":[{"banner":{}}]}`,
		`{"id":"1","imp":[{"id":"1"}]}`,
		`{"id":"1","imp":[{"id":"1","banner":{},"pmp":{"private_auction":1}}]}`,
		`{"id":"1","imp":[{"id":"1","banner":{},"bidfloor":1,"bidfloorcur":"EUR"}],"cur":["USD"]}`,
		`{"id":"1","imp":[{"id":"1","banner":{}}],"badv":["example"]}`,
		`{"id":"1","imp":[{"id":"1","banner":{}}],"wseat":["a"],"bseat":["a"]}`,
		`{"id":"1","imp":[{"id":"1","banner":{}}],"cur":[""]}`,
		`{"id":"1","imp":[{"id":"1","native":{"request":"x"}}]}`,
		`{"id":"1","imp":[{"id":"1","native":{"request":"{\"assets\":[{\"id\":1}]}"}}]}`,
		`{"id":"1","imp":[{"id":"1","video":{"minduration":30,"maxduration":10}}]}`,
		`{"id":"1","imp":[{"id":"1","video":{"protocols":[5]}}]}`,
		`{"id":"1","imp":[{"id":"1","audio":{"rqddurs":[-5]}}]}`,
	} {
		if status, answer := post(t, client, url, body); status != 204 || answer != "" {
			t.Errorf("%s: %d %s", body, status, answer)
		}
		if got := s.Stats(); got.Unbiddable != int64(i+1) || got.NoBids != int64(i+1) {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// TestBidsFollowTheRequest looks at what is asked for in ways that the corpus hardly has.
func TestBidsFollowTheRequest(t *testing.T) {
	for _, tt := range []struct {
		request string
		want    func(r *openrtb.BidResponse, b *openrtb.Bid) bool
	}{
		{`{"id":"1","imp":[{"id":"1","banner":{},"bidfloor":3.333,"bidfloorcur":"EUR"}]}`, func(r *openrtb.BidResponse, b *openrtb.Bid) bool { return r.Cur == "EUR" && *b.Price >= 3.333 }},
		{`{"id":"1","imp":[{"id":"1","banner":{"format":[{"wratio":16,"hratio":9}]}}]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool { return *b.WRatio == 16 && *b.HRatio == 9 }},
		{`{"id":"1","imp":[{"id":"1","banner":{"w":0,"h":50,"format":[{"w":728,"h":90}]}}]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool { return *b.W == 728 && *b.H == 90 }},
		{`{"id":"1","imp":[{"id":"1","video":{"mimes":["a&b"],"protocols":[5,7],"minduration":20,"mincpmpersec":0.5}}]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool {
			return *b.Dur == 20 && *b.Protocol == 7 && *b.Price >= 10 && strings.Contains(b.AdM, `version="4.0"`) && strings.Contains(b.AdM, "a&amp;b") && strings.Contains(b.AdM, "00:00:20")
		}},
		{`{"id":"1","imp":[{"id":"1","audio":{"rqddurs":[3661],"durfloors":[{"mindur":60,"bidfloor":9}]}}]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool {
			return *b.Dur == 3661 && *b.Price >= 9 && strings.Contains(b.AdM, "01:01:01")
		}},
		{`{"id":"1","imp":[{"id":"1","banner":{},"pmp":{"private_auction":1,"deals":[{"id":"a","wseat":["no"]},{"id":"b","wseat":["s"],"wadomain":["d.example"],"bidfloor":7}]}}],"wseat":["s"]}`, func(r *openrtb.BidResponse, b *openrtb.Bid) bool {
			return b.DealID == "b" && r.SeatBid[0].Seat == "s" && b.ADomain[0] == "d.example" && *b.Price >= 7
		}},
		{`{"id":"1","imp":[{"id":"1","banner":{},"pmp":{"deals":[{"id":"a","guar":1},{"id":"b","guar":1},{"id":"a","guar":1},{"id":"c"}]}}]}`, func(r *openrtb.BidResponse, _ *openrtb.Bid) bool {
			bids := 0
			for i := range r.SeatBid {
				bids += len(r.SeatBid[i].Bid)
			}
			return bids == 2
		}},
		{`{"id":"1","imp":[{"id":"1","banner":{}}],"acat":["IAB9","IAB7"],"bcat":["IAB9"]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool { return b.Cat[0] == "IAB7" }},
		{`{"id":"1","imp":[{"id":"1","banner":{}}],"cattax":7}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool { return *b.CatTax == 7 && len(b.Cat[0]) <= 3 }},
		{`{"id":"1","imp":[{"id":"1","banner":{}}],"acat":["IAB9"],"bcat":["IAB9"]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool { return len(b.Cat) == 0 }},
		{`{"id":"1","imp":[{"id":"1","native":{"ver":"1.0","request":"{\"assets\":[{\"id\":1,\"title\":{\"len\":5}},{\"id\":2,\"video\":{}},{\"id\":2,\"data\":{\"type\":1}}]}"}}]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool {
			return strings.HasPrefix(b.AdM, `{"native":{`) && strings.Contains(b.AdM, `"An ad"`) && !strings.Contains(b.AdM, "data")
		}},
		{`{"id":"1","imp":[{"id":"1","banner":{}},{"id":"1","banner":{},"bidfloor":50}]}`, func(r *openrtb.BidResponse, _ *openrtb.Bid) bool {
			return len(r.SeatBid) == 1 && len(r.SeatBid[0].Bid) == 1
		}},
		{`{"id":"1","imp":[{"id":"1","banner":{},"bidfloor":1e300}]}`, func(_ *openrtb.BidResponse, b *openrtb.Bid) bool { return *b.Price >= 1e300 }},
	} {
		req, err := openrtb.Parse([]byte(tt.request))
		if err != nil {
			t.Fatalf("%s: %v", tt.request, err)
		}
		for seed := range uint64(20) {
			var b Bidder
			body, ok := b.Append([]byte("before"), req, seed)
			if !ok {
				t.Errorf("%s: no bid", tt.request)
				break
			}
			resp, err := openrtb.ParseResponse(bytes.TrimPrefix(body, []byte("before")))
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			if !tt.want(resp, &resp.SeatBid[0].Bid[0]) {
				t.Errorf("%s: %s", tt.request, body)
				break
			}
		}
	}
}

// TestLatencyIsServed measures the shortest latencies of a server: others add to them.
func TestLatencyIsServed(t *testing.T) {
	latency, err := ParseLatency("uniform=10ms..30ms")
	if err != nil {
		t.Fatal(err)
	}
	_, client, url := serve(t, "127.0.0.1:0", Config{Latency: latency})
	least := time.Hour
	for i := range 8 {
		start := time.Now()
		post(t, client, url, request(fmt.Sprint(i)))
		least = min(least, time.Since(start))
	}
	if least < 10*time.Millisecond {
		t.Errorf("an answer came after %v", least)
	}
}

// TestConfig refuses what makes no sense.
func TestConfig(t *testing.T) {
	for _, c := range []Config{
		{BidShare: -0.1}, {BidShare: 1.1}, {ErrorShare: math.NaN()}, {BidShare: 0.6, ErrorShare: 0.3, GarbageShare: 0.2}, {ReasonShare: 2},
		{MaxBody: -1}, {MaxBody: math.MaxInt32}, {KeepIDs: -1}, {KeepIDs: IDsMax + 1},
	} {
		if s, err := New(c); err == nil || s != nil || !strings.HasPrefix(err.Error(), "core: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestListen replaces a socket without a listener, and nothing else.
func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	l, err := Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second listener: %v", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // as if the process had died
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err = Listen("unix:" + path); err != nil {
		t.Fatalf("after a crash: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Errorf("a file: %v", err)
	}
	if _, err := Listen("unix:" + path + "/x"); err == nil {
		t.Error("expected an error")
	}
}

func TestParseLatency(t *testing.T) {
	for _, tt := range []struct {
		text string
		u    map[float64]time.Duration
	}{
		{"2ms", map[float64]time.Duration{0: 2 * time.Millisecond, 1: 2 * time.Millisecond}},
		{"p50=2ms", map[float64]time.Duration{0.1: 2 * time.Millisecond, 0.9: 2 * time.Millisecond}},
		{"p50=2ms,p99=20ms", map[float64]time.Duration{0.5: 2 * time.Millisecond, 0.99: 20 * time.Millisecond, 0.01: 200 * time.Microsecond}},
		{"p99=20ms,p50=2ms,p99.9=1s", map[float64]time.Duration{0.5: 2 * time.Millisecond, 0.99: 20 * time.Millisecond, 0.999: time.Second, 1: LatencyMax}},
		{"uniform=1ms..5ms", map[float64]time.Duration{0: time.Millisecond, 0.5: 3 * time.Millisecond, 0.75: 4 * time.Millisecond}},
		{"exponential=2ms", map[float64]time.Duration{0: 0, 0.5: 1386 * time.Microsecond}},
		{"exp=2ms", map[float64]time.Duration{1 - 1/math.E: 2 * time.Millisecond}},
	} {
		l, err := ParseLatency(tt.text)
		if err != nil || l.String() != tt.text {
			t.Errorf("%s: %v, %v", tt.text, l, err)
			continue
		}
		for u, want := range tt.u {
			if got := l.At(u); math.Abs(float64(got-want)) > float64(want)/1000 {
				t.Errorf("%s: %v at %v, expected %v", tt.text, got, u, want)
			}
		}
		for last, i := time.Duration(0), 0; i <= 1000; i++ {
			got := l.At(float64(i) / 1000)
			if got < last || got > LatencyMax {
				t.Fatalf("%s: %v at %d after %v", tt.text, got, i, last)
			}
			last = got
		}
	}
	for _, text := range []string{
		"", "2", "-2ms", "2h", "x=2ms", "p50=", "p0=1ms", "p100=1ms", "pNaN=1ms", "p50=2ms,p99=1ms", "p50=1ms,p50=2ms", "p50=0s", "p50=1ms,99=2ms",
		"uniform=1ms", "uniform=5ms..1ms", "uniform=x..1ms", "exponential=", "exp=-1ms",
	} {
		if l, err := ParseLatency(text); err == nil || l.At(0.5) != 0 || l.String() != "0s" {
			t.Errorf("%q is read as %v, %v", text, l, err)
		}
	}
}
