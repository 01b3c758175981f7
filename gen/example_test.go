package gen_test

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/gen"
)

// Generate returns the text of the file that "rtbwire-gen Event" writes.
func ExampleGenerate() {
	src, err := gen.Generate(gen.Config{Dir: "../examples/gen", Types: []string{"Event"}})
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, "func Parse") {
			signature, _, _ := strings.Cut(line, " {")
			fmt.Println(signature)
		}
	}
	// Output:
	// func ParseEvent(data []byte) (*Event, error)
	// func ParseEventFast(data []byte) (*Event, error)
	// func ParseEventFastArena(data []byte) (*Event, error)
	// func ParseEventReader(r io.Reader, max int64) (*Event, error)
}
