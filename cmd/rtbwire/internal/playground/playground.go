// Package playground is the verb "rtbwire playground": a page to paste bid requests into, without a
// gateway.
package playground

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/judge"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
)

// listenDefault is where the page is.
const listenDefault = "127.0.0.1:8090"

// Command is the verb.
var Command = cli.Command{
	Usage:   "playground [flags]",
	Summary: "Open a page to paste bid requests into and see their verdicts",
	Help: `Serves a page with a box for a bid request. It shows the verdict: findings marked in the text, the
fraud score as a table, and what would be changed on the way. It is the box of a gateway's page,
without a gateway.

With --config, a configuration decides, for a partner that the page lets you choose. Changes of its
files count for the next request; while it has problems, the page shows them. Nothing that is
pasted is kept or logged. A request has at most 256 KiB, and 10 a second are judged.

Only this machine reaches the page, unless --listen says otherwise. Then it takes a token, as the
password of any name.

Exit status: 0 ended by an interrupt, 2 wrong usage, a problem in the configuration, or it can't
listen.`,
	Examples: `  # the default checks
  rtbwire playground

  # try rules while you write them
  rtbwire playground --config rtbwire.yaml`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		p := &playground{}
		set.StringVar(&p.listen, "listen", listenDefault, "`ADDRESS` to listen at")
		set.StringVarP(&p.file, "config", "c", "", "judge by the configuration `FILE` (docs/reference/configuration.md)")
		set.StringArrayVar(&p.tokenFiles, "token-file", nil, "`FILE` with tokens, one per line, that the page takes; repeatable")
		set.StringArrayVar(&p.hosts, "host", nil, "`NAME` by which a browser may ask, besides localhost and addresses; repeatable")
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("playground takes no arguments (%q)", args[0])
			}
			return p.run(ctx, env)
		}
	},
}

// playground is the verb with its flags.
type playground struct {
	listen, file      string
	tokenFiles, hosts []string

	by       atomic.Pointer[judge.By]
	problems atomic.Pointer[config.Problems] // of the files as they are now; nil if there are none
}

// run serves the page until the context ends, which a signal does.
func (p *playground) run(ctx context.Context, env *cli.Env) error {
	stop, err := p.open(env)
	if err != nil {
		return err
	}
	defer stop()
	page, err := admin.NewPlayground(admin.Options{
		Version: cli.Version(), TokenFiles: p.tokenFiles, Hosts: p.hosts, Logger: logs.New(env.Stderr, logs.Options{}),
		Judge: &admin.Judge{Config: p.file, Partners: func() []string { return p.by.Load().Partners }, Explain: p.explain},
	})
	if err != nil {
		return err
	}
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", p.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", p.listen, err)
	}
	if page.Allowed(ln.Addr()) != nil {
		_ = ln.Close()
		return cli.Usagef("--listen %s can be reached from outside, so it takes --token-file", p.listen)
	}
	fmt.Fprintf(env.Stdout, "open http://%s/ (an interrupt ends it)\n", ln.Addr())
	ended := make(chan error, 1)
	go func() { ended <- page.Serve(ln) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		page.Close()
		return nil
	}
}

// open reads the configuration, if there is one, and follows its files until stop is called.
func (p *playground) open(env *cli.Env) (stop func(), err error) {
	if p.file == "" {
		p.by.Store(&judge.By{Engine: &inspect.Engine{}, Preset: string(inspect.PresetDefault)})
		return func() {}, nil
	}
	live, problems := config.Follow(p.file, config.OpenOptions{Environ: env.Environ}, func(s *config.Setup, problems config.Problems) error {
		if len(problems) > 0 {
			p.problems.Store(&problems)
			return problems
		}
		p.use(s)
		return nil
	})
	if len(problems) > 0 {
		fmt.Fprintln(env.Stderr, problems.Error())
		return nil, cli.ErrReported
	}
	p.use(live.Setup())
	return filewatch.Watch(filewatch.Options{}, live).Close, nil
}

// use puts a configuration in use.
func (p *playground) use(s *config.Setup) {
	preset := cmp.Or(inspect.Configured(&s.Config.Scope).Preset, inspect.PresetDefault)
	p.by.Store(&judge.By{Engine: s.Engine, Preset: string(preset), Config: p.file, Partners: s.Config.Scope.Names()})
	p.problems.Store(nil)
}

// explain judges a request. While the configuration has problems, they are the answer.
func (p *playground) explain(text []byte, sender admin.Sender) (*admin.Judged, error) {
	if problems := p.problems.Load(); problems != nil {
		var lines []string
		for _, own := range *problems {
			lines = append(lines, own.Summary())
		}
		return nil, errors.New("the configuration has problems: " + strings.Join(lines, "; "))
	}
	return judge.Explain(p.by.Load(), text, sender)
}
