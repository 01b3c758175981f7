// Package engine has the JSON libraries that the lab compares, each behind an adapter of the
// same shape: one file per library, one [Engine] per configuration that teams use.
//
//	engine.go        the shape, the list
//	fields.go        what a partial decode reads
//	diff.go          whether two engines read the same
//	reflective.go    adapters of libraries with the interface of encoding/json
//	<library>.go     one per library
package engine

import (
	"runtime"
	"runtime/debug"
)

// Engine is one library in one configuration. What it can't do is nil.
type Engine struct {
	Name   string // short and unique: "gojson-pool"
	Module string // the module's path; empty is the standard library
	Config string // how it was called, as code
	Note   string // what a reader has to know to read its numbers; may be empty
	Safety Safety

	Request  Codec // of *openrtb.BidRequest
	Response Codec // of *openrtb.BidResponse

	// Fields reads the fields of [Fields] and leaves the rest of the request alone.
	Fields func(data []byte, f *Fields) error
	// Validate says whether data is JSON, and keeps nothing.
	Validate func(data []byte) bool

	// Warm makes the engine do once what it does on first use: compile, fill caches.
	Warm func() error
}

// Codec reads and writes one type of document.
type Codec struct {
	// Decode returns a pointer to the type. The value may point into data.
	Decode func(data []byte) (any, error)
	// Release ends the life of what Decode returned; nil leaves it to the garbage collector.
	Release func(v any)
	// Encode appends the text of what Decode returned to dst, or returns a slice of its own.
	Encode func(dst []byte, v any) ([]byte, error)
}

// Safety says what a configuration does beyond decoding.
type Safety struct {
	Copies        Answer // strings are copied: the text may be reused at once
	UTF8          Answer // text that is not UTF-8 is refused or repaired
	CaseSensitive Answer // the key "ID" is not "id"
}

// Answer is yes, no or, where the text decides, both.
type Answer string

// The answers.
const (
	Yes Answer = "yes"
	No  Answer = "no"
	// Repairs stands for bytes that are replaced by U+FFFD.
	Repairs Answer = "replaced"
)

// extra are engines that exist in some builds only; see jsonv2.go.
var extra []Engine

// All returns every engine of this build, rtbwire's first.
func All() []Engine {
	var all []Engine
	for _, family := range [][]Engine{
		rtbwireEngines(), handwrittenEngines(), sonicEngines(), gojsonEngines(), jsoniterEngines(), segmentioEngines(),
		encodingJSONEngines(), extra, fastjsonEngines(), jsonparserEngines(), simdjsonEngines(), gjsonEngines(),
	} {
		all = append(all, family...)
	}
	return all
}

// Find returns the engine of that name.
func Find(engines []Engine, name string) (Engine, bool) {
	for _, e := range engines {
		if e.Name == name {
			return e, true
		}
	}
	return Engine{}, false
}

// Version returns the version of the engine's module that is built in.
func (e *Engine) Version() string {
	info, ok := debug.ReadBuildInfo()
	if e.Module == "" {
		return runtime.Version()
	}
	if !ok {
		return "unknown"
	}
	if info.Main.Path == e.Module {
		return info.Main.Version
	}
	for _, m := range info.Deps {
		if m.Path == e.Module {
			if m.Replace != nil {
				return "this tree"
			}
			return m.Version
		}
	}
	return "unknown" // a test binary may have no list of modules
}

const module = "github.com/rtbwire/rtbwire"
