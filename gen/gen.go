// Package gen generates JSON codecs for Go structs: decode functions on the runtime in package
// wire/coder, specialised for the fields and their json tags.
//
// It reads a package's types and writes one file beside them. Nothing in the file is called
// UnmarshalJSON or MarshalJSON, so that encoding/json and every other library treat the types
// as before. A field of a type that has no JSON form here is refused with its name and the
// reason.
//
// A package can have several such files, and they can share struct types. The unexported names
// in a file begin with what the file is called, unless that is codec_gen.go, so the names of two
// files differ. A method of a shared type is in the file that was written first.
//
// The files, in the order of reading:
//
//	load.go        finds the types
//	model.go       what a codec has to know of them
//	file.go        the file as a whole
//	wrap.go        comments as wide as the house wants
//	names.go       the names in it
//	fields.go      what the templates ask about fields
//	templates/     the code, by part: api, codec, decode, clone, encode
//	check.go       names that clash, code that would not compile
package gen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Config says what to generate.
type Config struct {
	// Dir is the directory of the package.
	Dir string
	// Types are the names of the root types: the ones that whole documents decode to. Types
	// they refer to are included.
	Types []string
	// Names says how the functions of a root type are called. Default: after the type, such as
	// ParseEvent and EventDecoder for the type Event.
	Names map[string]Name
	// Output is the name of the file, relative to Dir. Default: "codec_gen.go".
	Output string
	// Command is put into the file's head as the way to write it again.
	// Default: "rtbwire-gen".
	Command string
	// Internal writes one unexported function for each root type, such as parseEvent, in place
	// of the exported ones. It is for packages that write their own.
	Internal bool
	// KeepEmpty writes arrays that are empty but not nil even if the tag says omitempty, which
	// encoding/json leaves out.
	KeepEmpty bool
	// KeepBytes is how much memory an idle codec keeps for the next document. Default: 1 MiB.
	KeepBytes int
	// Bundle says, for each root type, of which types a value decoded without an arena gets
	// slots in its first block of memory beside the root, and how many. Default: none.
	Bundle map[string][]BundleSlot
}

// Name is how the functions of a root type are called.
type Name struct {
	// Word is the part of their names that differs by type: "Response" gives ParseResponse,
	// ResponsePool and ResponseDecoder, "" gives Parse, Pool and Decoder.
	Word string
	// Noun is what comments call a value, such as "bid response". Default: the type's name.
	Noun string
}

// BundleSlot is a part of a bundle: Count slots of a struct type, or of "int", "float64" or
// "string".
type BundleSlot struct {
	Type  string
	Count int
}

// OutputDefault is the default of [Config.Output].
const OutputDefault = "codec_gen.go"

// withDefaults fills in what is not set.
func (c Config) withDefaults() Config {
	if c.Output == "" {
		c.Output = OutputDefault
	}
	if c.Command == "" {
		c.Command = "rtbwire-gen"
	}
	if c.KeepBytes == 0 {
		c.KeepBytes = 1 << 20
	}
	return c
}

// Generate returns the text of the file.
func Generate(c Config) ([]byte, error) {
	c = c.withDefaults()
	if len(c.Types) == 0 {
		return nil, errors.New("gen: no types given; name the struct types that documents decode to")
	}
	m, err := load(c)
	if err != nil {
		return nil, err
	}
	src, err := m.render(c)
	if err != nil {
		return nil, err
	}
	if err := m.conflict(c, src); err != nil {
		return nil, err
	}
	if err := compile(c, src); err != nil {
		return nil, err
	}
	return src, nil
}

// Write generates the file and writes it, unless it is there with the same text.
func Write(c Config) error {
	c = c.withDefaults()
	src, err := Generate(c)
	if err != nil {
		return err
	}
	path := filepath.Join(c.Dir, c.Output)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, src) {
		return nil
	}
	return os.WriteFile(path, src, 0o666)
}

func numbered(src []byte) []byte {
	var out bytes.Buffer
	for i, line := range bytes.Split(src, []byte("\n")) {
		fmt.Fprintf(&out, "%4d %s\n", i+1, line)
	}
	return out.Bytes()
}
