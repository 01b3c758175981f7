// Command claims holds published statements about JSON libraries against what the lab measures. See
// --help.
//
//	main.go      flags, help, exit status
//	rule.go      from a value to a verdict and its wording
//	form.go      how values are written
//	row.go       a statement, its tests and its answer
//	source_*.go  the statements, one source after the other
//	machines.go  what other machines make of published experiments
//	line.go      the line that they send in
//	page.go      lab/docs/claims.md, and the table in a terminal
//	take.go      figures from a run of the lab
//	names.go     what names of figures of a run mean
//	census.go    fields of the specification and of requests
//	profile.go   where the time of encoding/json and go-json goes
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/figures"
)

const usage = `Holds every published figure that this project answers against what the lab measures: what was
said, what is measured here, and whether it holds, does not hold, or under which condition.

Usage, in the folder lab of the repository:

  go run ./claims                     the table, from the figures that are kept in results/claims
  go run ./claims --write             writes lab/docs/claims.md from them
  go run ./claims --json              the table for programs
  go run ./claims --folder FOLDER     the table, from figures that are kept elsewhere
  go run ./claims --missing           the names of figures that no file has
  go run ./claims take                decode.START.json, from the last run of the lab
  go run ./claims take results/RUN/results.json
                                      from another one
  go run ./claims row                 one line of JSON to send in: what this machine makes of the articles'
                                      experiments; "make bench-published ARGS=--row" measures them first
  go run ./claims census              census.START.json: fields of the specification and of requests
  go run ./claims profile             profile.START.json: profiles of encoding/json and go-json, a minute

A statement that holds there but not here is not a mistake of its author: machines, versions and types
differ. To have the table of your own machine, in the root of the repository:

  make bench-published                what the five texts say, in half an hour; ARGS=--quick for a first look
  make bench ARGS=full                all of it, in hours, and lab/docs/claims.md

The other files of results/claims are written by the programs that their commands name. START is
when a run began: files of one program are runs of it, and are combined. Before a new set of runs,
remove the files of the one before. Exit status: 0 done, 2 wrong usage, 3 something failed.

Flags:
`

var errUsage = errors.New("see --help")

type options struct {
	write, json, missing bool
	folder, page         string
	sent                 string
	quick                bool
}

func main() {
	var o options
	flags := flag.NewFlagSet("claims", flag.ExitOnError)
	flags.BoolVar(&o.write, "write", false, "write lab/docs/claims.md")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.missing, "missing", false, "print the names of figures that no file has")
	flags.BoolVar(&o.quick, "quick", false, "profile: a first look in seconds, which calls itself preliminary")
	flags.StringVar(&o.folder, "folder", "", "the `folder` of figures (default lab/results/claims)")
	flags.StringVar(&o.sent, "sent", "", "the `folder` of lines from other machines (default lab/results/published)")
	flags.StringVar(&o.page, "page", "", "the `file` that --write writes (default lab/docs/claims.md)")
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage); flags.PrintDefaults() }
	args, verb := os.Args[1:], ""
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		verb, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		os.Exit(2)
	}
	if err := run(&o, verb, flags.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(3)
	}
}

func run(o *options, verb string, args []string, w io.Writer) error {
	root, err := data.Root()
	if err != nil {
		return err
	}
	root = filepath.Dir(root)
	if o.folder == "" {
		o.folder = filepath.Join(root, "lab", "results", "claims")
	}
	if o.sent == "" {
		o.sent = filepath.Join(root, "lab", "results", "published")
	}
	if o.page == "" {
		o.page = filepath.Join(root, "lab", "docs", "claims.md")
	}
	switch {
	case verb == "take" && len(args) == 0:
		run, err := newest(filepath.Join(root, "lab", "results"))
		if err != nil {
			return err
		}
		return take(run, o.folder, w)
	case verb == "take" && len(args) == 1:
		return take(args[0], o.folder, w)
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q: %w", args[0], errUsage)
	case verb == "census":
		return census(o.folder)
	case verb == "row":
		all, err := figures.ReadFolder(o.folder)
		if err != nil {
			return err
		}
		text, err := line(all)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	case verb == "profile":
		return profiles(o.folder, o.quick)
	case verb != "":
		return fmt.Errorf("unknown command %q: %w", verb, errUsage)
	}
	return show(o, w)
}

// show prints or writes the table.
func show(o *options, w io.Writer) error {
	all, err := figures.ReadFolder(o.folder)
	if err != nil {
		return err
	}
	list := sources()
	p, err := newPage(list, all)
	if err != nil {
		return err
	}
	if p.Sent, err = readSent(o.sent); err != nil {
		return err
	}
	switch {
	case o.missing:
		for _, name := range names(sources()) {
			if all[name] == nil {
				fmt.Fprintln(w, name)
			}
		}
		return nil
	case o.json:
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(p.forPrograms())
	case o.write:
		return os.WriteFile(o.page, []byte(p.Markdown()), 0o644)
	}
	_, err = io.WriteString(w, p.Terminal())
	return err
}

// row is an answer for programs.
type row struct {
	ID          string `json:"id"`
	Source      string `json:"source"`
	URL         string `json:"url"`
	Section     string `json:"section"`
	Said        string `json:"said"`
	On          string `json:"on"`
	Verdict     string `json:"verdict"`
	Words       string `json:"words"`
	Tests       []test `json:"tests"`
	Why         string `json:"why,omitempty"`
	Command     string `json:"command"`
	Preliminary bool   `json:"preliminary,omitempty"`
}

type test struct {
	For    string          `json:"for,omitempty"`
	Figure string          `json:"figure"`
	Held   string          `json:"held"`
	Value  *figures.Figure `json:"value"`
}

func (p *Page) forPrograms() (out []row) {
	for _, s := range p.Sections {
		for _, a := range s.Answers {
			r := row{
				ID: a.ID, Source: s.Source.Name, URL: s.Source.URL, Section: a.Section, Said: a.Said, On: s.Source.Machine,
				Verdict: a.Verdict.String(), Words: a.Words, Why: a.Reason, Command: a.Command, Preliminary: a.Preliminary,
			}
			for i, t := range a.Tests {
				r.Tests = append(r.Tests, test{t.For, t.Figure, a.Rules[i], a.figures[i]})
			}
			out = append(out, r)
		}
	}
	return out
}
