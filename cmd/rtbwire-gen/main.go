// Command rtbwire-gen writes JSON codecs for the structs of a package. Package gen does the work.
//
// It is a program of its own because it carries Go's type checker, which no gateway needs.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/gen"
	"github.com/rtbwire/rtbwire/internal/man"
	"github.com/rtbwire/rtbwire/internal/version"
)

// The exit statuses are the same as rtbwire's.
const (
	statusOK     = 0
	statusFailed = 2
)

const (
	summary = "Write JSON codecs for the structs of a package"
	usage   = "rtbwire-gen [flags] TYPE..."
)

const help = `Writes a file with JSON decoders and encoders for structs of your own. They are as fast as those
of package openrtb: they read through a SIMD index, learn the order of keys, and allocate nothing
once warm. Nothing changes for encoding/json and other libraries: the file has no UnmarshalJSON
and no MarshalJSON.

TYPE is the name of a struct that whole documents decode to. The structs that its fields refer
to are included. For a TYPE Event the file has

  ParseEvent(data)           an Event that owns its memory
  ParseEventFast(data)       an Event whose strings point into data
  ParseEventFastArena(data)  the same, in pooled memory until ReleaseEventArena
  NewEventDecoder(opts...)   a decoder with memory of its own, for one document after another
  (*Event).Clone             a copy that outlives the document
  (*Event).AppendJSON        appends an Event as JSON; the structs in it have the method too
  (*Event).WriteTo           writes an Event as JSON to an io.Writer

Generate first and run "go mod tidy" then, because the file is what needs the module.

A package can have several such files, under different names. Methods of structs that they
share are in the one that was written first.

Fields may be strings, integers, floats, booleans, json.RawMessage, structs of the same
package (embedded too), pointers to and slices of those. Their names come from the json
tags. A field of another type is refused with its name and the reason. Unlike in encoding/json,
keys are compared byte for byte, and a key that comes twice replaces the whole value.

Exit status: 0 the file is up to date, 2 it could not be written.
`

const examples = `  # write codec_gen.go for the struct Event in this directory
  rtbwire-gen Event

  # in the source of the package, for "go generate"
  //go:generate go run github.com/rtbwire/rtbwire/cmd/rtbwire-gen Event Click

  # another directory, another file
  rtbwire-gen --dir ./internal/events -o events_codec.go Event`

func main() { os.Exit(run(os.Stdout, os.Stderr, os.Args[1:])) }

// run is the program; it returns the exit status.
func run(stdout, stderr io.Writer, args []string) int {
	flags := pflag.NewFlagSet("rtbwire-gen", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	dir := flags.String("dir", ".", "the `DIRECTORY` of the package")
	output := flags.StringP("output", "o", gen.OutputDefault, "write `FILE` in that directory")
	showVersion := flags.Bool("version", false, "print the version")
	showPage := flags.Bool("man", false, "print the manual page")
	err := flags.Parse(args)
	types := flags.Args()
	text := "" // what goes to standard output
	switch {
	case errors.Is(err, pflag.ErrHelp):
		text, err = help+"\nUsage:\n  "+usage+"\n\nExamples:\n"+examples+"\n\nFlags:\n"+flags.FlagUsages(), nil
	case err != nil:
		err = usageError{err}
	case *showVersion:
		text = version.Read().Line("rtbwire-gen") + "\n"
	case *showPage:
		text, err = page(flags)
	case len(types) == 0:
		err = usageError{errors.New("no TYPE is given; name the structs that documents decode to")}
	case filepath.Base(*output) != *output || !strings.HasSuffix(*output, ".go") || strings.HasSuffix(*output, "_test.go"):
		err = usageError{fmt.Errorf("--output %q must be the name of a Go file in the package's directory, not of a test", *output)}
	default:
		text = filepath.Join(*dir, *output) + "\n"
		err = gen.Write(gen.Config{Dir: *dir, Types: types, Output: *output, Command: command(*output, types)})
	}
	if err == nil {
		_, err = io.WriteString(stdout, text)
	}
	if err == nil {
		return statusOK
	}
	fmt.Fprintf(stderr, "rtbwire-gen: %s\n", strings.TrimPrefix(err.Error(), "gen: "))
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(stderr, "Run \"rtbwire-gen --help\" for help.\n")
	}
	return statusFailed
}

// page returns the manual page.
func page(flags *pflag.FlagSet) (string, error) {
	var b strings.Builder
	page := man.Page{Command: "rtbwire-gen", Summary: summary, Usage: usage, Text: help, Flags: flags, Examples: examples, SeeAlso: []string{"rtbwire"}}
	err := page.Write(&b)
	return b.String(), err
}

// usageError is an error after which the help text is recommended.
type usageError struct{ error }

// command is how to write the file again.
func command(output string, types []string) string {
	words := []string{"rtbwire-gen"}
	if output != gen.OutputDefault {
		words = append(words, "-o", output)
	}
	return strings.Join(append(words, types...), " ")
}
