// Package policy is the verb "rtbwire policy": it checks, tests, explains and compares
// configurations, for the teams that write their rules.
//
// Each sub-verb has a file: check.go, test.go, explain.go, diff.go with diffreport.go, schema.go.
// Packages config and internal/policydiff do the work.
package policy

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "policy",
	Summary: "Check, test, explain and compare configuration files",
	Help: `Checks, tests, explains and compares configuration files. docs/policy.md explains rules;
docs/reference/configuration.md describes every key.`,
	Examples: `  # check a configuration, and what its rules say about some requests
  rtbwire policy check rtbwire.yaml
  rtbwire policy test rtbwire.yaml rtbwire.cases.yaml`,
	Commands: []cli.Command{checkCommand, testCommand, explainCommand, diffCommand, schemaCommand},
}

// readable returns an error if a file can't be read at all, which is not a mistake in it.
func readable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return fmt.Errorf("cannot read the configuration: %w", err)
	case !info.Mode().IsRegular(): // it is read more than once
		return fmt.Errorf("cannot read the configuration: %s is not a regular file; copy it to one", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("cannot read the configuration: %w", err)
	}
	return f.Close()
}

// open reads a configuration that another sub-verb works with. Its problems are printed.
func open(env *cli.Env, name string) (*config.Setup, error) {
	if err := readable(name); err != nil {
		return nil, err
	}
	setup, problems := config.Open(name, config.OpenOptions{Environ: env.Environ})
	if len(problems) > 0 {
		return nil, reported(env, problems)
	}
	return setup, nil
}

// reported prints the problems that keep a sub-verb from its work.
func reported(env *cli.Env, problems config.Problems) error {
	fmt.Fprintln(env.Stderr, problems.Error())
	fmt.Fprintln(env.Stderr, count(len(problems), "problem"))
	return cli.ErrReported
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// writeJSON prints a value for programs.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
