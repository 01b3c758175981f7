package policy

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/junit"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/policytest"
)

var testCommand = cli.Command{
	Usage:   "test [flags] FILE CASES...",
	Summary: "Run test cases against a configuration",
	Help: `Judges the requests of CASES by the configuration FILE and compares the verdicts with the
expected ones. docs/policy.md describes files of cases:

    cases:
      - name: a blocked site is refused
        request: {id: "1", imp: [{id: "1", banner: {w: 300, h: 250}}], site: {domain: blocked.example}}
        expect: {action: refuse, reason: policy.blocked-site, nbr: 7}

A case can expect a fraud score: "score: 25" or "score: '>=60'".

Only the members of expect are compared. A rule that the configuration lacks is an error.

Exit status: 0 all cases pass, 1 some fail, 2 wrong usage, a problem in one of the files, or no
case matched.`,
	Examples: `  # run all cases
  rtbwire policy test rtbwire.yaml rtbwire.cases.yaml

  # run some of them
  rtbwire policy test --run 'blocked|children' rtbwire.yaml rtbwire.cases.yaml

  # in a CI job: results for the test report
  rtbwire policy test --format junit rtbwire.yaml rtbwire.cases.yaml > policy.xml`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		format := cli.NewChoice("text", "json", "junit")
		pattern := ""
		flags.VarP(format, "format", "f", "output format")
		flags.StringVar(&pattern, "run", "", "run only cases whose names match the regular expression `PATTERN`")
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) < 2 {
				return cli.Usagef("test takes a configuration and files of cases")
			}
			run, err := regexp.Compile(pattern)
			if err != nil {
				return cli.Usagef("--run: %w", err)
			}
			return test(env, args[0], args[1:], run, format.Value)
		}
	},
}

// caseResult is the result of a case for programs. docs/policy.md documents the names.
type caseResult struct {
	Name        string           `json:"name"`
	File        string           `json:"file"`
	Line        int              `json:"line"`
	OK          bool             `json:"ok"`
	Differences []differenceJSON `json:"differences"`
}

type differenceJSON struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// test runs the cases of some files.
func test(env *cli.Env, name string, files []string, run *regexp.Regexp, format string) error {
	setup, err := open(env, name)
	if err != nil {
		return err
	}
	var all []policytest.Case
	var problems config.Problems
	for _, file := range files {
		list, p := policytest.Load(file, setup)
		all, problems = append(all, list...), append(problems, p...)
	}
	if len(problems) > 0 {
		return reported(env, problems)
	}
	worker := setup.Engine.NewWorker()
	results, failed := []caseResult{}, 0
	for i := range all {
		c := &all[i]
		if !run.MatchString(c.Name) {
			continue
		}
		r := caseResult{c.Name, c.File, c.Line, true, []differenceJSON{}}
		for _, d := range c.Run(worker) {
			r.OK = false
			r.Differences = append(r.Differences, differenceJSON(d))
		}
		if !r.OK {
			failed++
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		return cli.Usagef("--run %s: no case has such a name", run)
	}
	switch format {
	case "json":
		err = writeJSON(env.Stdout, struct {
			File   string       `json:"file"`
			Passed int          `json:"passed"`
			Failed int          `json:"failed"`
			Cases  []caseResult `json:"cases"`
		}{name, len(results) - failed, failed, results})
	case "junit":
		err = writeJUnit(env.Stdout, results)
	default:
		err = writeResults(env.Stdout, results, failed)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the results: %w", err)
	case failed > 0:
		return cli.ErrRefused
	}
	return nil
}

// writeResults prints the results for people.
func writeResults(w io.Writer, results []caseResult, failed int) error {
	var b bytes.Buffer
	for i := range results {
		r := &results[i]
		if r.OK {
			fmt.Fprintf(&b, "ok    %s\n", report.Visible(r.Name))
			continue
		}
		fmt.Fprintf(&b, "FAIL  %s (%s:%d)\n", report.Visible(r.Name), report.Visible(r.File), r.Line)
		for _, d := range r.Differences {
			fmt.Fprintf(&b, "      %s\n        expected  %s\n        found     %s\n", d.What, lines(d.Expected), lines(d.Found))
		}
	}
	fmt.Fprintf(&b, "%s: %d passed, %d failed\n", count(len(results), "case"), len(results)-failed, failed)
	_, err := w.Write(b.Bytes())
	return err
}

// lines makes a text of several lines printable below its first one.
func lines(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = visible(list[i])
	}
	return strings.Join(list, "\n                  ")
}

// visible escapes what could move a cursor. Unlike [report.Visible] it cuts nothing.
func visible(text string) string {
	var b strings.Builder
	for text != "" {
		_, n := utf8.DecodeRuneInString(text)
		b.WriteString(report.Visible(text[:n]))
		text = text[n:]
	}
	return b.String()
}

// writeJUnit writes the results for CI: a file of cases is a suite.
func writeJUnit(w io.Writer, results []caseResult) error {
	var suites []junit.Suite
	for i := range results {
		r := &results[i]
		if n := len(suites); n == 0 || suites[n-1].Name != r.File {
			suites = append(suites, junit.Suite{Name: r.File})
		}
		c := junit.Case{Name: r.Name, Class: r.File, File: r.File, Line: r.Line}
		if !r.OK {
			var what, text []string
			for _, d := range r.Differences {
				what = append(what, d.What)
				text = append(text, fmt.Sprintf("%s: expected %s, found %s", d.What, d.Expected, d.Found))
			}
			c.Failure = &junit.Problem{Message: strings.Join(what, ", "), Text: strings.Join(text, "\n")}
		}
		suite := &suites[len(suites)-1]
		suite.Cases = append(suite.Cases, c)
	}
	out := junit.NewWriter(w, "rtbwire policy test")
	for i := range suites {
		if err := out.Write(&suites[i]); err != nil {
			return err
		}
	}
	return out.Close()
}
