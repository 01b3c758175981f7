package main

import (
	"fmt"
	"io"
)

// experiment is a piece of advice and how it is put to the test.
type experiment struct {
	name    string
	advice  string     // as people give it
	method  string     // what is done and measured
	varies  string     // what the cases differ in: "depends on ..."
	seconds [2]float64 // about how long it takes, full and quick; for the time left only
	run     func(t *trial) error
}

// The experiments, in the order of the run. The one about types comes last: plans and types are
// never freed, and with more memory in use the collector runs later.
var experiments = []experiment{
	preSized, encoderToWriter, pooledBuffers, rawMessage,
	streaming, unknownFields, number, customMarshaler,
	indent, tokenStream, httpBody, anyTarget,
	slicesOfPointers, handWritten, leaving, firstCall,
}

// try runs the experiment and draws the conclusion. say gets what is measured.
func (e *experiment) try(l level, say func(what string)) (*result, error) {
	t := &trial{level: l, say: say, result: result{Name: e.name, Advice: e.advice, Method: e.method}}
	t.rounds, t.budget = l.effort()
	if err := e.run(t); err != nil {
		return nil, err
	}
	if !t.finite() {
		return nil, fmt.Errorf("a measured value is not finite: %+v", t.result)
	}
	t.conclude(e.varies)
	return &t.result, nil
}

func printList(w io.Writer) error {
	for _, e := range experiments {
		if _, err := fmt.Fprintf(w, "%s\n    %s\n", e.name, wrapAt(4, e.advice, 90)); err != nil {
			return err
		}
	}
	return nil
}
