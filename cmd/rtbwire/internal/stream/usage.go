package stream

import (
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// usage refuses flags that are about nothing.
func (f *flags) usage(scope *setting.Scope) error {
	if upstream.Configured(scope).URL == "" {
		about := []string{"concurrency"}
		for _, flag := range setting.Flags(upstream.Fields()) {
			about = append(about, flag.Name)
		}
		for _, name := range about {
			if f.set.Changed(name) && name != "upstream" {
				return cli.Usagef("--%s needs --upstream URL", name)
			}
		}
	}
	if f.jobs < 0 {
		return cli.Usagef("--jobs %d is less than 0; use 0 for one per core", f.jobs)
	}
	return nil
}
