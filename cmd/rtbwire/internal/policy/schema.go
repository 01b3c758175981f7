package policy

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
)

var schemaCommand = cli.Command{
	Usage:   "schema",
	Summary: "Print the JSON Schema of configuration files",
	Help: `Prints the JSON Schema of configuration files, for editors that complete keys and mark mistakes
while a file is written. For the YAML language server (VS Code: the extension "YAML" by Red
Hat), begin a file with the line

    # yaml-language-server: $schema=rtbwire.schema.json

The schema does not say all that "rtbwire policy check" checks, such as what is in a condition.`,
	Examples: `  # write the schema beside a configuration
  rtbwire policy schema > rtbwire.schema.json`,
	Setup: func(*pflag.FlagSet) cli.Run {
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("schema takes no arguments")
			}
			_, err := env.Stdout.Write(config.JSONSchema())
			return err
		}
	},
}
