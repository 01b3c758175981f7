package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestByteForByte forwards the corpus: without edits, what the core gets is what was sent.
func TestByteForByte(t *testing.T) {
	requests := testkit.Requests(t)
	step := testkit.Scale(t, 40, 8, 1)
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		g := serve(Options{Upstreams: At(up.URL), UpstreamTimeout: 20 * time.Second, Reserve: 1})
		c, forwarded := client(t), 0
		for i := 0; i < len(requests); i += step {
			// Without a tmax, since tests share their processors.
			body, err := splice.Apply(nil, requests[i], wire.Remove("/tmax"))
			if err != nil {
				continue // not JSON
			}
			r, err := http.NewRequest(http.MethodPost, g.url(PathDefault), bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			do(t, c, r)
			for _, got := range up.take() {
				forwarded++
				if !bytes.Equal(got.body, body) {
					t.Fatalf("request %d became %s", i, got.body)
				}
			}
		}
		if forwarded < len(requests)/step/2 {
			t.Errorf("%d of %d were forwarded", forwarded, len(requests)/step)
		}
	})
}

// tmaxRequest is a request that has a tmax, or none.
func tmaxRequest(tmax string) string {
	return `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1"}, ` + tmax + ` "ext" : {"a":1.0}}`
}

// TestLowerTMax checks what the core gets: what is left of the time where that is less, and all
// other bytes as they were.
func TestLowerTMax(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		const reserve = 10 * time.Second
		o := Options{
			Upstreams: At(up.URL), LowerTMax: true, UpstreamTimeout: 50 * time.Second, Reserve: reserve,
			Partners: []Partner{
				{Name: "timed", TMaxMs: 40_000, Match: Match{Path: "/timed"}},
				{Name: "reserved", Reserve: 20 * time.Second, Match: Match{Path: "/reserved"}},
				{Name: "short", UpstreamTimeout: 15 * time.Second, Match: Match{Path: "/short"}},
			},
		}
		g := serve(o)
		off := o
		off.LowerTMax = false
		plain := serve(off)
		shadow := o
		shadow.Shadow = true
		shadowed := serve(shadow)
		for _, tt := range []struct {
			name, path, tmax string
			most             int // that the core may get; 0 if nothing changes
			g                *started
		}{
			{"longer than what is left", PathDefault, `"tmax":60000,`, 50_000, g},
			{"less the reserve", PathDefault, `"tmax":30000,`, 20_000, g},
			{"none", PathDefault, ``, 0, g},
			{"of the partner", "/timed", ``, 30_000, g},
			{"of the partner, in place of a longer one", "/timed", `"tmax": 50000 ,`, 30_000, g},
			{"the partner's reserve", "/reserved", `"tmax":30000,`, 10_000, g},
			{"the partner's time for upstreams", "/short", `"tmax":60000,`, 15_000, g},
			{"the partner's time, shorter ask", "/short", `"tmax":20000,`, 10_000, g},
			{"off", PathDefault, `"tmax":60000,`, 0, plain},
			{"shadow", PathDefault, `"tmax":60000,`, 0, shadowed},
		} {
			sent := tmaxRequest(tt.tmax)
			if r := tt.g.post(t, tt.path, []byte(sent)); r.status != 200 {
				t.Fatalf("%s: %+v", tt.name, r)
			}
			got := string(up.take()[0].body)
			if tt.most == 0 {
				if got != sent {
					t.Errorf("%s: %s became %s", tt.name, sent, got)
				}
				continue
			}
			var read struct {
				TMax int `json:"tmax"`
			}
			if err := json.Unmarshal([]byte(got), &read); err != nil {
				t.Fatal(err)
			}
			if read.TMax > tt.most || read.TMax < 1 || tt.most >= 5000 && read.TMax < tt.most/2 {
				t.Errorf("%s: the core got %d, want at most %d", tt.name, read.TMax, tt.most)
			}
			// All other bytes are as they were.
			var want string
			number := strconv.Itoa(read.TMax)
			if tt.tmax == "" {
				want = sent[:len(sent)-1] + `,"tmax":` + number + "}"
			} else {
				digits := strings.Trim(strings.TrimPrefix(tt.tmax, `"tmax":`), " ,")
				want = strings.Replace(sent, digits, number, 1)
			}
			if got != want {
				t.Errorf("%s: got  %s\nwant %s", tt.name, got, want)
			}
		}
	})
}

// TestAllEditsAtOnce scrubs, annotates and lowers the time of one request, in one pass.
func TestAllEditsAtOnce(t *testing.T) {
	program, err := scrub.Compile(scrub.Spec{Remove: []string{"/device/ifa"}})
	if err != nil {
		t.Fatal(err)
	}
	noTime, err := scrub.Compile(scrub.Spec{Remove: []string{"/tmax"}})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := inspect.New(inspect.Config{
		Annotate: true, Global: inspect.Layer{Scrubs: []inspect.Scrub{{Program: program}}},
		Partners: map[string]inspect.Partner{"timeless": {Layer: inspect.Layer{Scrubs: []inspect.Scrub{{Program: noTime}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		o := Options{
			Upstreams: At(up.URL), Engine: engine, LowerTMax: true, UpstreamTimeout: 20 * time.Second, ForwardGzip: true,
			Partners: []Partner{{Name: "timeless", Match: Match{Path: "/timeless"}}},
		}
		g := serve(o)
		const text = `{"id":"1", "imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"bundle":"com.example.a"},"device":{"ua":"x","ifa":"6f1a2b3c"},"tmax":60000%s}`
		for _, tt := range []struct{ name, path, ext, want string }{
			{"all", PathDefault, ``, `{"id":"1", "imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"bundle":"com.example.a"},"device":{"ua":"x"},"tmax":N,"ext":{"rtbwire":{"action":"forward","reason":"","score":S}}}`},
			{"a forged annotation", PathDefault, `,"ext":{"a":1,"rtbwire":{"score":0}}`, `{"id":"1", "imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"bundle":"com.example.a"},"device":{"ua":"x"},"tmax":N,"ext":{"a":1,"rtbwire":{"action":"forward","reason":"","score":S}}}`},
			{"a scrub takes tmax away", "/timeless", ``, `{"id":"1", "imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"bundle":"com.example.a"},"device":{"ua":"x"},"ext":{"rtbwire":{"action":"forward","reason":"","score":S}}}`},
		} {
			for _, encoding := range []string{"", "gzip"} {
				sent := fmt.Appendf(nil, text, tt.ext)
				var header []string
				if encoding != "" {
					sent, header = zipped(t, sent), []string{"Content-Encoding", encoding}
				}
				if r := g.post(t, tt.path, sent, header...); r.status != 200 {
					t.Fatalf("%s: %+v", tt.name, r)
				}
				got := up.take()[0]
				var read struct {
					TMax int `json:"tmax"`
					Ext  struct {
						RTBWire struct{ Score int } `json:"rtbwire"`
					} `json:"ext"`
				}
				if err := json.Unmarshal(got.body, &read); err != nil {
					t.Fatalf("%s: %v in %s", tt.name, err, got.body)
				}
				want := strings.NewReplacer(":N", ":"+strconv.Itoa(read.TMax), ":S", ":"+strconv.Itoa(read.Ext.RTBWire.Score)).Replace(tt.want)
				if string(got.body) != want || read.TMax > 20_000 || got.header.Get("Content-Encoding") != "" {
					t.Errorf("%s: got  %s\nwant %s", tt.name, got.body, want)
				}
			}
		}
	})
}
