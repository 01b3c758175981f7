package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// progress reports on standard error what is measured and how long it will take.
type progress struct {
	began     time.Time
	doneUnits float64
	allUnits  float64 // 0: not known
	last      time.Time
	terminal  bool
	asked     bool
	processes []*measure.Process
	temporary string
}

func (p *progress) say(what string) {
	if !p.asked {
		info, err := os.Stderr.Stat()
		p.terminal, p.asked = err == nil && info.Mode()&os.ModeCharDevice != 0, true
	}
	left := ""
	if share := p.doneUnits / max(p.allUnits, 1); p.allUnits > 0 && share > 0.02 {
		took := time.Since(p.began)
		left = fmt.Sprintf("%3.0f%%, %v left: ", 100*share, time.Duration(float64(took)*(1-share)/share).Round(time.Second))
	}
	switch {
	case p.terminal:
		fmt.Fprintf(os.Stderr, "\r\x1b[K%s%s", left, what)
	case time.Since(p.last) > 5*time.Second:
		fmt.Fprintf(os.Stderr, "%s%s\n", left, what)
		p.last = time.Now()
	}
}

func (p *progress) done() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}

// stop ends the workers and removes what was built. It may be called more than once.
func (p *progress) stop() {
	var errs []error
	for _, w := range p.processes {
		errs = append(errs, w.Close())
	}
	if p.temporary != "" {
		errs = append(errs, os.RemoveAll(p.temporary))
	}
	p.processes, p.temporary = nil, ""
	if err := errors.Join(errs...); err != nil {
		fmt.Fprintln(os.Stderr, "lab: cleaning up:", err)
	}
}
