// Package job is what the lab asks a worker of the published experiments, and what it answers: one
// job on the standard input, one answer on the standard output.
package job

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/timing"
)

// Kinds of jobs.
const (
	Check   = "check"   // whether the engine reads what encoding/json reads
	Time    = "time"    // N decodes, or as many as Budget has room for, and what one takes
	Serve   = "serve"   // a small service
	Profile = "profile" // a CPU profile of Budget
	About   = "about"   // the engines, the documents, and versions
)

// Job is what a worker does.
type Job struct {
	Kind       string
	Engine     string
	Document   string
	N          int
	Budget     time.Duration
	Goroutines int  // that share N decodes, with all processors, unless it is 0
	Core       *int // that one goroutine runs on, where Goroutines is 0; nil for any
	Service    timing.ServiceTask
	File       string // of the profile
}

// Answer is what came of it.
type Answer struct {
	Err     string               `json:",omitempty"`
	Wrong   string               `json:",omitempty"` // what the engine reads wrongly
	Sample  timing.Sample        `json:",omitzero"`
	Service timing.ServiceResult `json:",omitzero"`

	Engines   []string          `json:",omitempty"`
	Documents map[string]int    `json:",omitempty"` // and their lengths in bytes
	Versions  map[string]string `json:",omitempty"` // of modules, by path
}
