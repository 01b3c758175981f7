package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

//go:embed policy.yaml
var policy []byte

// What the processes say when they are ready.
var (
	coreReady  = regexp.MustCompile(`listening at (http://\S+)`)
	listening  = regexp.MustCompile(`msg=listening address=(\S+)`)
	adminReady = regexp.MustCompile(`msg=administration address=(\S+)`)
)

// run is one run of the verb.
type run struct {
	flags *flags
	env   *cli.Env

	core, gateway     *process
	coreAt, url, page string
}

// demo runs everything, and cleans up.
func (r *run) demo(ctx context.Context) (err error) {
	folder, err := os.MkdirTemp("", "rtbwire-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the system cleans such folders too
	defer func() { err = r.end(err) }()
	if err := r.start(ctx, folder); err != nil {
		return err
	}
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))) // the sender waits for the system and the rest goes on
	s, err := r.round(ctx)
	if err != nil {
		return err
	}
	if err := r.print(s); err != nil {
		return err
	}
	if s.Failed > 0 {
		return cli.ErrRefused
	}
	if r.flags.keep {
		return r.goOn(ctx)
	}
	r.say("\nto look at the gateway's page while traffic runs: rtbwire demo --keep\n")
	return nil
}

// start starts the core and the gateway at free ports.
func (r *run) start(ctx context.Context, folder string) (err error) {
	f := r.flags
	if r.core, err = start(r.env, "the auction core", "simulate", "core", "--listen", "127.0.0.1:0",
		"--bid", "60%", "--latency", "p50=2ms,p99=20ms", "--ids", strconv.FormatUint(f.requests(), 10)); err != nil {
		return err
	}
	if r.coreAt, err = r.core.await(ctx, coreReady); err != nil {
		return err
	}
	config := f.config
	if config == "" {
		config = filepath.Join(folder, "policy.yaml")
		if err := os.WriteFile(config, policy, 0o600); err != nil {
			return err
		}
	}
	if r.gateway, err = start(r.env, "the gateway", "serve", "--config", config,
		"--listen", "127.0.0.1:0", "--admin", f.admin, "--upstream", r.coreAt, "--path", gateway.PathDefault); err != nil {
		return err
	}
	address, err := r.gateway.await(ctx, listening)
	if err != nil {
		return err
	}
	r.url = "http://" + address + gateway.PathDefault
	if address, err = r.gateway.await(ctx, adminReady); err != nil {
		return err
	}
	r.page = "http://" + address
	r.say("core     %s\ngateway  %s\npage     %s/\n", r.coreAt, r.url, r.page)
	return nil
}

// say tells on standard error how far the demo is.
func (r *run) say(format string, args ...any) { fmt.Fprintf(r.env.Stderr, format, args...) }

// round sends the requests of the summary.
func (r *run) round(ctx context.Context) (*summary, error) {
	f := r.flags
	t, err := makeTraffic(f, 0)
	if err != nil {
		return nil, err
	}
	r.say("sending %d requests, %d a second\n", t.bodies.Len(), f.rate)
	result, err := t.send(ctx, f, r.url, r.progress)
	r.erase()
	switch {
	case ctx.Err() != nil || result != nil && result.Interrupted:
		return nil, errInterrupted
	case err != nil:
		return nil, err
	case r.gateway.ended() || r.core.ended():
		return nil, errors.New("a process has ended")
	}
	ids, err := arrived(ctx, r.coreAt)
	if err != nil {
		return nil, err
	}
	m, err := readMetrics(ctx, r.page)
	if err != nil {
		return nil, err
	}
	return summarize(result, m, t.outcomes(ids), r.page+"/"), nil
}

// goOn sends until an interrupt, which is its normal end.
func (r *run) goOn(ctx context.Context) error {
	r.say("\nthe traffic goes on; the page is %s/; Ctrl-C ends\n", r.page)
	for first := r.flags.requests(); ctx.Err() == nil; first += r.flags.requests() {
		t, err := makeTraffic(r.flags, first)
		if err != nil {
			return err
		}
		if _, err := t.send(ctx, r.flags, r.url, r.progress); err != nil && ctx.Err() == nil {
			return err
		}
	}
	r.erase()
	return nil
}

// end stops the processes, the gateway first: it answers what it has read. Their errors count if
// there is no other.
func (r *run) end(err error) error {
	for _, p := range []*process{r.gateway, r.core} {
		if p == nil {
			continue
		}
		if stopped := p.stop(); err == nil {
			err = stopped
		}
	}
	return err
}

// progress draws the line that moves, if somebody looks.
func (r *run) progress(s replay.Snapshot) {
	if r.env.StderrTerminal {
		io.WriteString(r.env.Stderr, fmt.Sprintf("%s%3.0fs  %d sent, %.0f answers a second, p50 %s, p99 %s", cli.EraseLine, //nolint:errcheck // decoration
			s.Elapsed.Seconds(), s.Sent, s.Recent.Rate(), s.Recent.P50.Round(10*time.Microsecond), s.Recent.P99.Round(10*time.Microsecond)))
	}
}

func (r *run) erase() {
	if r.env.StderrTerminal {
		io.WriteString(r.env.Stderr, cli.EraseLine) //nolint:errcheck // decoration
	}
}
