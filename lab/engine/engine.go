// Package engine has an adapter for each JSON library that the lab compares: one file per library,
// one [Engine] per configuration that teams use.
//
//	engine.go        what an engine is, and the list of them
//	claims.go        whether what an engine says about itself is true
//	fields.go        what a partial decode reads
//	diff.go          whether two engines read the same value
//	reflective.go    adapters of libraries with the interface of encoding/json
//	<library>.go     one per library
package engine

import (
	"runtime"
	"runtime/debug"
	"time"
)

// Engine is one library in one configuration. Functions that it does not have are nil.
type Engine struct {
	Name   string // short and unique: "gojson-pool"
	Module string // the path of the module, "" for the standard library
	Config string // how it was called, as code
	Source string // what recommends it: an address, or FILE: WORDS of the module
	Note   string // what a reader has to know about its numbers; may be empty
	Safety Safety

	Request  Codec // of *openrtb.BidRequest
	Response Codec // of *openrtb.BidResponse

	// Fields reads the fields of [Fields] and skips the rest of the request.
	Fields func(data []byte, f *Fields) error
	// Validate reports whether data is JSON.
	Validate func(data []byte) bool

	// Warm does what the engine does on first use: compile, fill caches. It does it once for all
	// configurations of the library, and returns how long that took.
	Warm func() (time.Duration, error)
}

// Codec reads and writes one type of document.
type Codec struct {
	// Decode returns a pointer to the type. The value may point into data. Without it,
	// encoding/json makes the values that Encode writes.
	Decode func(data []byte) (any, error)
	// Release frees what Decode returned; nil leaves that to the garbage collector.
	Release func(v any)
	// Encode appends the text of what Decode returned to dst, or returns a new slice.
	Encode func(dst []byte, v any) ([]byte, error)
}

// Safety says what else a configuration does.
type Safety struct {
	Copies        Answer // strings are copied: the text may be changed at once
	UTF8          Answer // text that is not UTF-8 is refused or repaired
	CaseSensitive Answer // "ID" is another key than "id"
}

// Answer is an answer in a table.
type Answer string

// The answers.
const (
	Yes Answer = "yes"
	No  Answer = "no"
	// Repairs means that bytes are replaced by U+FFFD.
	Repairs Answer = "replaced"
)

// extra has engines that only some builds have; see jsonv2.go.
var extra []Engine

// All returns every engine of this build, rtbwire's first.
func All() []Engine {
	var all []Engine
	for _, family := range [][]Engine{
		rtbwireEngines(), handwrittenEngines(), sonicEngines(), gojsonEngines(), jsoniterEngines(), jxEngines(),
		segmentioEngines(), sonnetEngines(), ojgEngines(), jettisonEngines(), encodingJSONEngines(), extra,
		fastjsonEngines(), jsonparserEngines(), simdjsonEngines(), gjsonEngines(),
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

// Version returns the version of the engine's module in this build.
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
