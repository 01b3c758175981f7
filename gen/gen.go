// Package gen writes JSON codecs for Go structs: decode functions on the runtime in package
// wire, fitted to the fields and their json tags.
//
// It reads a package's types and writes one file beside them. Nothing in the file is called
// UnmarshalJSON or MarshalJSON, so that encoding/json and every other library treat the types
// as before. A field of a type that can't be handled is refused with its name and the reason.
//
// The files, in the order of reading: load.go finds the types, model.go says what a codec has
// to know of them, decode.go and api.go write it.
package gen

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
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
	// Output is the name of the file, relative to Dir. Default: "codec_gen.go".
	Output string
	// Command is put into the file's head as the way to write it again.
	// Default: "rtbwire gen".
	Command string
	// Internal leaves out the exported functions, for packages that write their own.
	Internal bool
	// KeepEmpty writes arrays that are empty but not nil even if the tag says omitempty, which
	// encoding/json leaves out.
	KeepEmpty bool
	// Bundle says, for each root type, of which types a value decoded without an arena gets
	// slots in its first block of memory beside the root, and how many. Default: none.
	Bundle map[string][]BundleSlot
}

// BundleSlot is a part of a bundle: Count slots of a struct type, or of "int", "float64" or
// "string".
type BundleSlot struct {
	Type  string
	Count int
}

// OutputDefault is the default of [Config.Output].
const OutputDefault = "codec_gen.go"

// Generate returns the text of the file.
func Generate(c Config) ([]byte, error) {
	if c.Output == "" {
		c.Output = OutputDefault
	}
	if c.Command == "" {
		c.Command = "rtbwire gen"
	}
	if len(c.Types) == 0 {
		return nil, errors.New("gen: no types given; name the struct types that documents decode to")
	}
	m, err := load(c)
	if err != nil {
		return nil, err
	}
	w := &writer{model: m, config: c}
	w.file()
	src, err := format.Source(w.Bytes())
	if err != nil {
		return nil, fmt.Errorf("gen: the generated code is broken, which is a fault of gen: %w\n%s", err, numbered(w.Bytes()))
	}
	if err := m.conflict(src); err != nil {
		return nil, err
	}
	if err := compile(c, src); err != nil {
		return nil, err
	}
	return src, nil
}

// Write generates the file and writes it, unless it is there with the same text.
func Write(c Config) error {
	src, err := Generate(c)
	if err != nil {
		return err
	}
	name := c.Output
	if name == "" {
		name = OutputDefault
	}
	path := filepath.Join(c.Dir, name)
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

// writer collects the file.
type writer struct {
	bytes.Buffer
	model  *model
	config Config
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }
