package simulate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate/judge"
)

// judge judges the requests and prints the table.
func (r *run) judge(ctx context.Context) error {
	engine, err := r.engine()
	if err != nil {
		return err
	}
	f := r.flags
	bar := r.startBar(true, f.count)
	table, err := judge.Run(ctx, r.generator, engine, judge.Options{First: f.first, Count: f.count, Jobs: f.jobs, Progress: bar.set})
	bar.stop()
	if interrupted := errors.Is(err, context.Canceled); err != nil && !interrupted {
		return err
	}
	print := table.WriteText
	if f.format.Value == "json" {
		print = table.WriteJSON
	}
	if err := print(r.env.Stdout); err != nil {
		return err
	}
	if err != nil {
		judged := uint64(0)
		for i := range table.Rows {
			judged += table.Rows[i].Requests
		}
		return r.interrupted(judged)
	}
	if clean := table.Class(simulate.Clean); clean.Refused > 0 {
		fmt.Fprintf(r.env.Stderr, "%d of %d clean requests are refused, most often for %s\n", clean.Refused, clean.Requests, clean.Main())
		return cli.ErrRefused
	}
	return nil
}

// engine returns the engine of --config, or the default one.
func (r *run) engine() (*inspect.Engine, error) {
	f := r.flags
	if f.config == "" {
		return inspect.New(inspect.Config{Preset: schema.Preset(f.preset.Value)})
	}
	if _, err := os.Stat(f.config); err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	setup, problems := config.Open(f.config, config.OpenOptions{
		Environ: r.env.Environ,
		Adjust: func(c *inspect.Config) {
			if f.set.Changed("preset") {
				c.Preset = schema.Preset(f.preset.Value)
			}
		},
	})
	if len(problems) > 0 {
		fmt.Fprintf(r.env.Stderr, "%v\nrtbwire simulate: %s has mistakes; rtbwire policy check %[2]s lists them\n", problems, f.config)
		return nil, cli.ErrReported
	}
	return setup.Engine, nil
}
