package gateway

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

func contextFor(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

func read(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(testkit.Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// TestForward sends a request through a gateway to a core, byte for byte, and the answer back.
func TestForward(t *testing.T) {
	up := newCore(t, nil)
	g := start(t, Options{Upstreams: At(up.URL)})
	for _, name := range []string{"banner", "app", "app_indented", "video", "escapes"} {
		body := read(t, "testdata/bench/"+name+".json")
		r := g.post(t, PathDefault+"?seat=1", body, "Content-Type", "application/json")
		if r.status != 200 || r.body != answered || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %+v", name, r)
		}
		got := up.take()
		if len(got) != 1 || !bytes.Equal(got[0].body, body) || got[0].uri != PathDefault+"?seat=1" || got[0].length != int64(len(body)) {
			t.Errorf("%s: the core got %+v", name, got)
		}
	}
}

// TestRefuse answers what the verdict refuses with each no-bid answer, and forwards nothing.
func TestRefuse(t *testing.T) {
	up := newCore(t, nil)
	for _, tt := range []struct {
		answer      NoBid
		refused     int
		refusedBody string
		malformed   int
		badBody     string
	}{
		{"", 204, "", 400, ""},
		{NoBid204, 204, "", 400, ""},
		{NoBid200, 200, `{"id":"r \"1\"","nbr":2}`, 400, `{"nbr":2}`},
		{NoBid400, 400, "", 400, ""},
		{NoBid400JSON, 400, `{"id":"r \"1\"","nbr":2}`, 400, `{"nbr":2}`},
	} {
		g := start(t, Options{Upstreams: At(up.URL), NoBid: tt.answer})
		r := g.post(t, PathDefault, []byte(`{"id":"r \"1\"","imp":[]}`))
		if r.status != tt.refused || r.body != tt.refusedBody {
			t.Errorf("%q: refused: %+v", tt.answer, r)
		}
		if r := g.post(t, PathDefault, []byte(`{"id":"1","imp":[{]}`)); r.status != tt.malformed || r.body != tt.badBody {
			t.Errorf("%q: malformed: %+v", tt.answer, r)
		}
	}
	if got := up.take(); len(got) != 0 {
		t.Errorf("the core got %+v", got[0])
	}
}
