// Package cli is the command-line framework of rtbwire: verbs, their environment, flags and exit
// statuses.
//
// A verb is a [Command] value in a package of its own; main lists them. Verbs define flags on
// a pflag.FlagSet and don't depend on the library that dispatches.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/rtbwire/rtbwire/internal/version"
)

// The exit statuses of every verb.
const (
	StatusOK      = 0 // success
	StatusRefused = 1 // errors were found in documents
	StatusFailed  = 2 // wrong usage, or something could not be read or written
)

// ErrRefused makes a verb exit with [StatusRefused]. Nothing is printed for it, because the verb
// has explained it already.
var ErrRefused = errors.New("refused")

// ErrReported makes a verb exit with [StatusFailed]. Nothing is printed for it either.
var ErrReported = errors.New("reported")

// Command describes a verb.
type Command struct {
	Usage    string // "check [flags] [FILE...]"; the first word is the verb's name
	Summary  string // one line for the list of verbs
	Help     string // the beginning of "rtbwire VERB --help"
	Examples string // indented command lines with comments
	// Setup defines the verb's flags and returns the function that runs it.
	Setup func(flags *pflag.FlagSet) Run
	// Commands are the sub-verbs of a verb that has them, in place of Setup or besides it.
	Commands []Command
}

// Run runs a verb. The status is [StatusOK] for nil, as documented for [ErrRefused] and
// [ErrReported], and [StatusFailed] for any other error, which is printed.
type Run func(ctx context.Context, env *Env, args []string) error

// Env is the part of the process that a verb may use.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Whether each of the three is a terminal.
	StdinTerminal, StdoutTerminal, StderrTerminal bool
	Getenv                                        func(string) string
	Environ                                       []string // as os.Environ returns it
}

// Process returns the environment of this process.
func Process() *Env {
	terminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinTerminal: terminal(os.Stdin), StdoutTerminal: terminal(os.Stdout), StderrTerminal: terminal(os.Stderr),
		Getenv: os.Getenv, Environ: os.Environ(),
	}
}

// Version returns the version of this program as one word.
func Version() string { return version.Read().String() }

// secondInterrupt is how long after an interrupt the next one ends the process. One that follows
// at once is the same: timeout(1) signals its child, and then the group that the child is in.
const secondInterrupt = 500 * time.Millisecond

// Main runs the verb that args name and returns the exit status. An interrupt cancels the
// verb's context; a second one, after [secondInterrupt], ends the process.
func Main(env *Env, commands []Command, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer func() {
		if ctx.Err() == nil { // else a signal that follows at once would decide the exit status
			stop()
		}
	}()
	context.AfterFunc(ctx, func() { time.AfterFunc(secondInterrupt, stop) })
	stdout := &checkedWriter{w: env.Stdout}
	checked := *env
	checked.Stdout = stdout
	root := newRoot(&checked, commands)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil { // help and version texts are printed by code that ignores errors
		err = stdout.err
	}
	switch {
	case err == nil:
		return StatusOK
	case errors.Is(err, ErrRefused):
		return StatusRefused
	case errors.Is(err, ErrReported):
		return StatusFailed
	}
	fmt.Fprintf(env.Stderr, "%s: %s\n", command.CommandPath(), strings.TrimSpace(err.Error()))
	if usage := (*UsageError)(nil); errors.As(err, &usage) || command == root {
		fmt.Fprintf(env.Stderr, "Run \"%s --help\" for help.\n", command.CommandPath())
	}
	return StatusFailed
}

// checkedWriter remembers the first error of a writer.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// UsageError is an error after which the verb's help text is recommended.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [UsageError].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// newRoot builds cobra's command from the verbs.
func newRoot(env *Env, commands []Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "rtbwire",
		Short: "Check OpenRTB traffic",
		Long: "rtbwire checks OpenRTB bid requests and bid responses: in files, over HTTP in front of an auction,\n" +
			"and in Kafka topics. It also generates and replays traffic.\n\n" +
			"Exit status: 0 success, 1 errors were found in documents, 2 wrong usage or unreadable input.",
		Example:       rootExamples(commands),
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetVersionTemplate("rtbwire {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &UsageError{plain(err)} })
	for _, c := range commands {
		root.AddCommand(newCommand(env, c))
	}
	root.AddCommand(newMan(root))
	return root
}

// plain replaces what package time says of a duration that it can't read.
func plain(err error) error {
	of, ok := errors.AsType[*pflag.InvalidValueError](err)
	switch {
	case !ok:
		return err
	case of.GetFlag().Value.Type() == "duration":
		return fmt.Errorf("invalid argument %q for --%s (want a number and a unit, such as 5s or 500ms)", of.GetValue(), of.GetFlag().Name)
	}
	if own, ok := errors.AsType[*renamedError](err); ok {
		return fmt.Errorf("--%s is called --%s now", of.GetFlag().Name, own.name)
	}
	return err
}

// newCommand builds cobra's command from a verb.
func newCommand(env *Env, c Command) *cobra.Command {
	verb := &cobra.Command{
		Use: c.Usage, Short: c.Summary, Long: c.Help, Example: c.Examples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	verb.Flags().SortFlags = false
	for _, inner := range c.Commands {
		verb.AddCommand(newCommand(env, inner))
	}
	if c.Setup == nil {
		verb.RunE = group
		return verb
	}
	run := c.Setup(verb.Flags())
	verb.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = wrapped(f.Usage) })
	verb.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), env, args) }
	return verb
}

// usageWidth is the width of the column with the usage of flags.
const usageWidth = 64

// wrapped breaks the lines of a flag's usage: pflag prints them as they are, however long.
func wrapped(usage string) string {
	var lines []string
	for paragraph := range strings.SplitSeq(usage, "\n") {
		line, width := "", 0
		for word := range strings.SplitSeq(paragraph, " ") {
			length := len(strings.ReplaceAll(word, "`", "")) // which are not printed
			if line != "" && width+1+length > usageWidth {
				lines, line, width = append(lines, line), "", 0
			}
			if line != "" {
				line += " "
				width++
			}
			line += word
			width += length
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// group runs a verb without a sub-verb, or with one that it does not have.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	cmd.SuggestionsMinimumDistance = 2 // as cobra does for the verbs themselves
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return Usagef("%s", text)
}

// rootExamples returns the first example of every verb.
func rootExamples(commands []Command) string {
	var examples []string
	for _, c := range commands {
		if first, _, _ := strings.Cut(c.Examples, "\n\n"); first != "" {
			examples = append(examples, first)
		}
	}
	return strings.Join(examples, "\n\n")
}
