package replay

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// serve answers requests with a handler until the test ends, and returns the address.
func serve(t testing.TB, network string, handler fasthttp.RequestHandler, options ...func(*fasthttp.Server)) Target {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/s"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	s := &fasthttp.Server{Handler: handler, NoDefaultServerHeader: true, NoDefaultDate: true, Logger: silent{}}
	for _, o := range options {
		o(s)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.ShutdownWithContext(ctx) // connections that are still open are closed with the process
		<-done
	})
	url := "http://" + l.Addr().String()
	if network == "unix" {
		url = "http://unix:" + l.Addr().String()
	}
	target, err := ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// corpus are the requests of the corpus.
func corpus(t testing.TB) *Bodies {
	t.Helper()
	return BodiesOf(testkit.Requests(t)...)
}

// mustRun runs a configuration.
func mustRun(t testing.TB, c Config) *Result {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noBid answers with 204.
func noBid(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(fasthttp.StatusNoContent) }

// texts makes bodies of texts.
func texts(list ...string) *Bodies {
	b := new(Bodies)
	for _, s := range list {
		b.texts = append(b.texts, []byte(s))
		b.size += int64(len(s))
	}
	return b
}

// Min returns the shortest latency.
func (l *Latencies) Min() time.Duration { return l.orZero(l.h.Min()) }
