package explain

import (
	"fmt"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/inspect"
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
	e := &explanation{
		file: name, preset: by.Preset, config: f.ConfigFile, verdict: &v, score: worker.Scoring(&v), text: body, excerpts: !f.noExcerpt, color: color(env, f),
	}
	if v.Shadow != nil {
		shadow := worker.Scoring(v.Shadow)
		e.shadow = &shadow
	}
	return e.print(env, f)
}

// print writes the explanation. Its error says what the exit status is to be.
func (e *explanation) print(env *cli.Env, f *flags) (err error) {
	if f.format.Value == "json" {
		err = e.writeJSON(env.Stdout)
	} else {
		err = e.writeText(env.Stdout)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the verdict: %w", err)
	case e.verdict.Action == inspect.ActionRefuse:
		return cli.ErrRefused
	}
	return nil
}

// explanation is a verdict and what is needed to print it.
type explanation struct {
	file     string
	preset   string
	config   string // the file, or ""
	verdict  *inspect.Verdict
	score    inspect.Scoring
	shadow   *inspect.Scoring // of the verdict in shadow, if there is one
	text     []byte
	excerpts bool
	color    bool
	response *inspect.ResponseVerdict // if the verdict is on a response
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
