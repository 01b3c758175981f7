// Package generate is the verb "rtbwire gen": it writes codecs for the structs of a package.
// Package gen does the work.
package generate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/gen"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "gen [flags] TYPE...",
	Summary: "Generate a fast JSON decoder for your own structs",
	Help: `Writes a file with JSON decoders and encoders for structs of your own. They are as fast as those
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
package (embedded too), pointers to and slices of those. Their names are those of the json
tags. A field of another type is refused with its name and the reason. Unlike in encoding/json,
keys are compared byte for byte, and a key that comes twice replaces the whole value.

Exit status: 0 the file is up to date, 2 it could not be written.`,
	Examples: `  # write codec_gen.go for the struct Event in this directory
  rtbwire gen Event

  # in the source of the package, for "go generate"
  //go:generate go run github.com/rtbwire/rtbwire/cmd/rtbwire gen Event Click

  # another directory, another file
  rtbwire gen --dir ./internal/events -o events_codec.go Event`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		dir := flags.String("dir", ".", "the `DIRECTORY` of the package")
		output := flags.StringP("output", "o", gen.OutputDefault, "write `FILE` in that directory")
		return func(_ context.Context, env *cli.Env, types []string) error {
			switch {
			case len(types) == 0:
				return cli.Usagef("no TYPE is given; name the structs that documents decode to")
			case filepath.Base(*output) != *output || !strings.HasSuffix(*output, ".go") || strings.HasSuffix(*output, "_test.go"):
				return cli.Usagef("--output %q must be the name of a Go file in the package's directory, not of a test", *output)
			}
			err := gen.Write(gen.Config{Dir: *dir, Types: types, Output: *output, Command: command(*output, types)})
			if err != nil {
				return errors.New(strings.TrimPrefix(err.Error(), "gen: "))
			}
			_, err = fmt.Fprintln(env.Stdout, filepath.Join(*dir, *output))
			return err
		}
	},
}

// command is how to write the file again.
func command(output string, types []string) string {
	words := []string{"rtbwire", "gen"}
	if output != gen.OutputDefault {
		words = append(words, "-o", output)
	}
	return strings.Join(append(words, types...), " ")
}
