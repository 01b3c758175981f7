// Package serve is the verb "rtbwire serve": it reads flags, environment and file, and runs a
// gateway. Package gateway does the work.
package serve

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "serve [flags]",
	Summary: "Take bid requests by HTTP, forward the good ones",
	Help: `Takes bid requests, decides about each, and forwards what is accepted to an upstream, byte for
byte. docs/gateway.md says what is answered when, and what every flag and key means.`,
	Examples: `  # the default checks in front of an auction
  rtbwire serve --listen 127.0.0.1:8080 --upstream http://127.0.0.1:9000`,
	Setup: setup,
}

type flags struct {
	listen    string
	upstreams []string
	config    string
	shadow    bool
}

func setup(set *pflag.FlagSet) cli.Run {
	f := &flags{}
	set.StringVar(&f.listen, "listen", "127.0.0.1:8080", "address to listen at")
	set.StringArrayVar(&f.upstreams, "upstream", nil, "where accepted requests go: http://host:port or unix:/path; may be repeated")
	set.StringVar(&f.config, "config", "", "the configuration file")
	set.BoolVar(&f.shadow, "shadow", false, "observe and forward everything")
	return func(ctx context.Context, env *cli.Env, args []string) error {
		if len(args) > 0 {
			return cli.Usagef("serve takes no arguments")
		}
		return run(ctx, env, f)
	}
}

func run(ctx context.Context, env *cli.Env, f *flags) error {
	o := gateway.Options{Upstreams: f.upstreams, Shadow: f.shadow}
	if f.config != "" {
		s, problems := config.Open(f.config, config.OpenOptions{Environ: env.Environ})
		if len(problems) > 0 {
			fmt.Fprintln(env.Stderr, problems.Error())
			return cli.ErrReported
		}
		o.Engine = s.Engine
	}
	g, err := gateway.New(o)
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", f.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "listening at %s\n", ln.Addr())
	done := make(chan error, 1)
	go func() { done <- g.Serve(ln) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateway.DrainTimeoutDefault)
	defer cancel()
	return g.Shutdown(stop)
}
