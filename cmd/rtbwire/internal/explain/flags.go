package explain

import (
	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/judging"
)

// flags are the verb's flags.
type flags struct {
	*judging.Flags
	format    *cli.Choice
	color     *cli.Choice
	response  string
	noExcerpt bool
}

// newFlags defines the flags, in the order of the help text.
func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{format: cli.NewChoice("text", "json"), color: cli.NewChoice("auto", "always", "never")}
	set.VarP(f.format, "format", "f", "output format")
	set.BoolVar(&f.noExcerpt, "no-excerpt", false, "print paths only, without excerpts of the request")
	set.Var(f.color, "color", "colors in text output; auto: on a terminal, unless NO_COLOR is set")
	set.StringVar(&f.response, "response", "", "explain the verdict on the response in `FILE`")
	f.Flags = judging.New(set)
	return f
}

// check checks the flags and arguments.
func (f *flags) check(args []string) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("%d files given; explain takes one, and rtbwire check takes many", len(args))
	case f.response == "-" && (len(args) == 0 || args[0] == "-"):
		return cli.Usagef("--response - and the request can't both be standard input")
	}
	return f.Check()
}
