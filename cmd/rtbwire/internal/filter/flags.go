package filter

import (
	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/judging"
	"github.com/rtbwire/rtbwire/internal/lines"
)

// jobsMax limits --jobs: each job has memory of its own, and no machine has more cores.
const jobsMax = 4096

// emits are the forms of a line, the default first.
var emits = []lines.Emit{lines.Annotated, lines.Verdicts, lines.Accepted}

// flags are the verb's flags.
type flags struct {
	*judging.Flags
	emit *cli.Choice
	jobs int
}

// newFlags defines the flags, in the order of the help text.
func newFlags(set *pflag.FlagSet) *flags {
	var forms []string
	for _, e := range emits {
		forms = append(forms, e.String())
	}
	f := &flags{emit: cli.NewChoice(forms...)}
	set.Var(f.emit, "emit", "output for each line")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "judge `N` lines concurrently; 0: one per core")
	f.Flags = judging.New(set)
	return f
}

// check checks the flags.
func (f *flags) check() error {
	switch {
	case f.jobs < 0 || f.jobs > jobsMax:
		return cli.Usagef("--jobs %d is not between 0 and %d; use 0 for one per core", f.jobs, jobsMax)
	}
	return f.Check()
}

func (f *flags) emitted() lines.Emit {
	for _, e := range emits {
		if e.String() == f.emit.Value {
			return e
		}
	}
	return lines.Annotated
}
