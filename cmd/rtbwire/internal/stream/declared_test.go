package stream

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/settingtest"
	"github.com/rtbwire/rtbwire/internal/setting"
)

func init() { settingtest.Register("stream") }

// TestDeclared declares one more setting of streams, and finds it everywhere.
func TestDeclared(t *testing.T) {
	t.Parallel()
	(&settingtest.Verb{
		Section: "stream", File: `brokers: "127.0.0.1:9", topics: a, group: g, accepted: b, dead_letters: c`, Command: Command,
		Scope: func(t *testing.T, env *cli.Env, args ...string) *setting.Scope {
			t.Helper()
			set := pflag.NewFlagSet("stream", pflag.ContinueOnError)
			s := &server{env: env, flags: newFlags(set)}
			if err := set.Parse(args); err != nil {
				t.Fatal(err)
			}
			if _, err := s.open(); err != nil {
				t.Fatal(err)
			}
			return s.scope()
		},
		Shown: func(scope *setting.Scope) any {
			s := &server{flags: newFlags(pflag.NewFlagSet("stream", pflag.ContinueOnError))}
			s.ends = chooseEnds(s.flags, scope)
			s.using.Store(scope)
			return s.port().Config()
		},
	}).Check(t)
}
