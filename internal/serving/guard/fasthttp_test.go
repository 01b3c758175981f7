package guard

import (
	"bufio"
	"fmt"
	"math/bits"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestFasthttp wants fasthttp to read the same messages as the reference from what the guard hands
// on.
func TestFasthttp(t *testing.T) {
	if bits.UintSize == 32 {
		t.Skip("fasthttp reads fewer digits of a chunk's size here")
	}
	seed := testkit.Seed(t)
	r := testkit.Rand(seed)
	for i := range testkit.Scale(t, 2000, 10000, 1000000) {
		input := randomInput(r)
		out := serve(t, limits, 4096, split(input, r.IntN(ways), r))
		if err := compareFasthttp(out.handed, reference(input, limits.withDefaults()).messages); err != nil {
			t.Fatalf("seed %d, input %d: %q: %v", seed, i, input, err)
		}
	}
}

func compareFasthttp(handed string, messages []message) error {
	source := strings.NewReader(handed)
	r := bufio.NewReader(source)
	for i, want := range messages {
		var req fasthttp.Request
		if err := req.ReadLimitBody(r, 1<<20); err != nil {
			return fmt.Errorf("message %d: fasthttp: %w", i, err)
		}
		if req.MayContinue() {
			if err := req.ContinueReadBody(r, 1<<20); err != nil {
				return fmt.Errorf("message %d: fasthttp: %w", i, err)
			}
		}
		got := message{
			method: string(req.Header.Method()), target: string(req.Header.RequestURI()), version: string(req.Header.Protocol()),
			body: string(req.Body()), from: want.from, end: len(handed) - source.Len() - r.Buffered(),
		}
		host := ""
		if hosts := want.all("host"); len(hosts) > 0 {
			host = hosts[0]
		}
		if string(req.Header.Host()) != host {
			return fmt.Errorf("message %d: fasthttp: Host is %q, want %q", i, req.Header.Host(), host)
		}
		if authority := string(req.URI().Host()); want.target[0] == '/' && !strings.EqualFold(authority, host) {
			return fmt.Errorf("message %d: fasthttp: the URI has host %q, want %q", i, authority, host)
		}
		header := http.Header{}
		for key, value := range req.Header.All() {
			name := textproto.CanonicalMIMEHeaderKey(string(key))
			header[name] = append(header[name], string(value))
		}
		got.fields = others(header)
		wanted := want
		wanted.trailers = nil
		h := http.Header{}
		for _, f := range append(slices.Clone(want.fields), want.trailers...) {
			name := textproto.CanonicalMIMEHeaderKey(f[0])
			h[name] = append(h[name], f[1])
		}
		wanted.fields = others(h)
		if got, want := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", wanted); got != want {
			return fmt.Errorf("message %d:\nfasthttp %s\ntwin     %s", i, got, want)
		}
	}
	return nil
}

// others leaves out what fasthttp keeps apart or makes up.
func others(header http.Header) [][2]string {
	for _, name := range []string{"Content-Length", "Transfer-Encoding", "Trailer", "Connection", "Cookie", "User-Agent", "Content-Type"} {
		delete(header, name)
	}
	return sorted(header)
}

// logs gathers what a server logs.
type logs []string

func (l *logs) Printf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// TestFasthttpServer wants answers in the order of the requests, with and without fasthttp's way to
// have no buffer while it waits, and no line in its log for what clients do.
func TestFasthttpServer(t *testing.T) {
	for _, reduce := range []bool{false, true} {
		var log logs
		l := mustGuard(t, Options{}, nil).Listener(listen(t))
		server := &fasthttp.Server{
			Handler: func(ctx *fasthttp.RequestCtx) {
				if c, is := ctx.Conn().(*Conn); !is || c.BytesRead() == 0 || c.Unread() {
					t.Errorf("%T", ctx.Conn())
				}
				fmt.Fprintf(ctx, "%s %s %q", ctx.Method(), ctx.RequestURI(), ctx.PostBody())
			},
			ReadBufferSize: DefaultHeadBytes, ReduceMemoryUsage: reduce, Logger: &log,
		}
		done := make(chan error)
		go func() { done <- server.Serve(l) }()
		for _, tc := range []struct{ text, want string }{
			{get("") + post("Content-Length: 2\r\n", "ab") + chunks("2\r\ncd\r\n0\r\n\r\n") + get("Connection: close\r\n"),
				`200 GET / ""|200 POST /bid "ab"|200 POST /bid "cd"|200 GET / ""`},
			{get("") + "GET /\n\n", `200 GET / ""|400 `},
			{post("Content-Length: 2\r\n", "ab") + get("Content-Length: 1\r\n") + "x" + smuggled, `200 POST /bid "ab"|400 `},
			{get("A: "+strings.Repeat("a", 16000)+"\r\n") + chunks("1\r\na\r\nx"), `200 GET / ""|400 `},
			{chunks("5\r\nabcde\r\n40000\r\n"), `413 `},
			{get("") + post("Content-Length: 999999\r\n", ""), `200 GET / ""|413 `},
			{get("A: " + strings.Repeat("a", 17000) + "\r\n"), `431 `},
			{"\x16\x03\x01", "400 "},
			{post("Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n", "ab"), `100 |200 POST /bid "ab"`},
		} {
			if got := strings.Join(exchange(t, l, tc.text), "|"); got != tc.want {
				t.Errorf("reduce %t: %q\nis answered %s\nwant        %s", reduce, tc.text, got, tc.want)
			}
		}
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil || len(log) > 0 {
			t.Errorf("reduce %t: %v, log %q", reduce, err, log)
		}
	}
}

// TestFasthttpLosesStep shows what ErrUnread is for: fasthttp would go on in the body that its
// ContinueHandler has refused.
func TestFasthttpLosesStep(t *testing.T) {
	for _, guarded := range []bool{false, true} {
		l := listen(t)
		if guarded {
			l = mustGuard(t, Options{}, nil).Listener(l)
		}
		server := &fasthttp.Server{
			Handler:         func(ctx *fasthttp.RequestCtx) { fmt.Fprintf(ctx, "%s", ctx.RequestURI()) },
			ContinueHandler: func(*fasthttp.RequestHeader) bool { return false },
		}
		go func() { _ = server.Serve(l) }()
		c := dial(t, l)
		fmt.Fprintf(c, "%s", post(fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n", len(smuggled)), ""))
		r := bufio.NewReader(c)
		answer, err := http.ReadResponse(r, nil)
		if err != nil || answer.StatusCode != http.StatusExpectationFailed {
			t.Fatal(answer, err)
		}
		_ = answer.Body.Close()
		fmt.Fprint(c, smuggled)
		answer, err = http.ReadResponse(r, nil)
		if guarded != (err != nil) {
			t.Errorf("guarded %t: %v, %v", guarded, answer, err)
		}
		if err == nil {
			_ = answer.Body.Close()
		}
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
	}
}
