package serve

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/settingtest"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/internal/setting"
)

func init() { settingtest.Register("gateway") }

// TestDeclared declares one more setting of gateways, and finds it everywhere.
func TestDeclared(t *testing.T) {
	t.Parallel()
	(&settingtest.Verb{
		Section: "gateway", File: `upstreams: ["http://127.0.0.1:9"]`, Command: Command,
		Scope: func(t *testing.T, env *cli.Env, args ...string) *setting.Scope {
			t.Helper()
			set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
			s := &server{env: env, flags: newFlags(set)}
			if err := set.Parse(args); err != nil {
				t.Fatal(err)
			}
			_, done, err := s.open()
			if err != nil {
				t.Fatal(err)
			}
			done(false)
			return s.scope()
		},
		Shown: func(scope *setting.Scope) any {
			s := &server{}
			s.fields, _ = setting.Section("gateway")
			s.using.Store(scope)
			var err error
			if s.gateway, err = gateway.New(gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9")}); err != nil {
				t.Fatal(err)
			}
			return s.shown()
		},
	}).Check(t)
}
