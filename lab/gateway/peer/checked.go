package main

import (
	"errors"
	"sync"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
)

// inspectors are the gateway's own, for a handler that decodes with another library: the rules of
// the specification about values, the rules of the configuration, the search for payloads, and the
// fraud score. What they ask rtbwire's decoder for is left out: keys that come twice, and legacy
// places that the text has. So are the windows, and the verdict with its places and edits.
type inspectors struct {
	schema *schema.Engine
	rules  []inspect.Rule
	fraud  *fraud.Model
	memory sync.Pool // of *inspection
}

// inspection is the memory of one request.
type inspection struct {
	checker *schema.Checker
	scanner *payload.Scanner
	scratch fraud.Scratch
	rules   rule.Scratch
	matches []payload.Match
	hits    []fraud.Hit
}

var errRefused = errors.New("refused")

// openInspectors makes the inspectors of a configuration.
func openInspectors(file string) (*inspectors, error) {
	in := new(inspectors)
	var c inspect.Config
	_, problems := config.Open(file, config.OpenOptions{Adjust: func(own *inspect.Config) { c = *own }})
	if len(problems) > 0 {
		return nil, problems
	}
	in.rules = c.Global.Rules
	var err error
	if in.schema, err = schema.New(schema.WithPreset(schema.Admission)); err != nil {
		return nil, err
	}
	if in.fraud, err = fraud.New(fraud.Config{Limits: c.Fraud.Limits, Data: c.Fraud.Data}); err != nil {
		return nil, err
	}
	in.memory.New = func() any {
		scanner, err := payload.New(payload.Options{})
		if err != nil {
			panic(err) // the default patterns
		}
		return &inspection{checker: in.schema.NewChecker(), scanner: scanner}
	}
	return in, nil
}

// check refuses what the gateway would, as far as it can be seen here.
func (in *inspectors) check(r *openrtb.BidRequest, body []byte) error {
	m := in.memory.Get().(*inspection)
	defer in.memory.Put(m)
	if !m.checker.RequestValue(r, body).Valid() {
		return errRefused
	}
	defer m.rules.Release()
	facts := rule.Facts{}
	asked := rule.Input{Body: body, Request: r, Facts: &facts, Scratch: &m.rules}
	for i := range in.rules {
		holds, err := in.rules[i].When.Holds(&asked)
		if s := in.rules[i].Severity; err == nil && holds && (s == nil || *s == inspect.Refuse) {
			return errRefused
		}
	}
	found := payload.Clean
	if m.matches, found = m.scanner.Scan(m.matches[:0], body); found != payload.Clean {
		return errRefused
	}
	_, m.hits = in.fraud.Score(fraud.Input{Request: r, Facts: &facts}, &m.scratch, m.hits[:0]) // observed only, as there
	return nil
}
