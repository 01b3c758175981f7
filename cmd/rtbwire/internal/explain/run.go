package explain

import (
	"fmt"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/explanation"
)

// run judges the request and prints the verdict.
func run(env *cli.Env, f *flags, args []string) error {
	by, err := f.Open(env, nil)
	if err != nil {
		return err
	}
	name, body, err := request.Read(env, args, int(f.MaxDocument)+1)
	if err != nil {
		return err
	}
	worker := by.Engine.NewWorker()
	if f.response != "" {
		return runResponse(env, f, worker, body, by)
	}
	v := worker.Inspect(body, by.Facts)
	e := &explained{explanation.New(worker, &v, body), color(env, f)}
	e.File, e.Preset, e.Config, e.Excerpts = name, by.Preset, f.ConfigFile, !f.noExcerpt
	return e.print(env, f)
}

// print writes the explanation. Its error says what the exit status is to be.
func (e *explained) print(env *cli.Env, f *flags) (err error) {
	if f.format.Value == "json" {
		err = explanation.Write(env.Stdout, e.Document())
	} else {
		err = e.writeText(env.Stdout)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the verdict: %w", err)
	case e.Verdict.Action == inspect.ActionRefuse:
		return cli.ErrRefused
	}
	return nil
}

// explained is an explanation that is printed for people.
type explained struct {
	*explanation.Explanation
	color bool
}

// color reports whether the text has colors.
func color(env *cli.Env, f *flags) bool {
	switch f.color.Value {
	case "always":
		return true
	case "never":
		return false
	}
	return env.StdoutTerminal && env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb"
}
