package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress says what goes on, and for how long it will.
type progress struct {
	w        io.Writer
	terminal bool
	began    time.Time
	chosen   []*experiment
	at       int
	level    level
}

func newProgress(w io.Writer, chosen []*experiment, l level) *progress {
	p := &progress{w: w, began: time.Now(), chosen: chosen, level: l}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// seconds is how long a part of the experiments is expected to take.
func (p *progress) seconds(part []*experiment) float64 {
	s := 0.0
	for _, e := range part {
		s += e.seconds[min(p.level, quick)]
	}
	return s
}

func (p *progress) start(i int) {
	p.at = i
	if !p.terminal {
		p.say("")
	}
}

// say shows a step: over the last one on a terminal, where a log has only the experiments.
func (p *progress) say(what string) {
	left := p.seconds(p.chosen[p.at:])
	// As fast as so far, of which the first seconds say little.
	left *= (time.Since(p.began).Seconds() + 10) / (p.seconds(p.chosen[:p.at]) + 10)
	line := fmt.Sprintf("%d of %d, %v left: section %d", p.at+1, len(p.chosen),
		time.Duration(left*float64(time.Second)).Round(time.Second), p.chosen[p.at].section)
	switch {
	case p.terminal:
		fmt.Fprintf(p.w, "\r\x1b[K%s: %s", line, what)
	case what == "":
		fmt.Fprintln(p.w, line)
	}
}

func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
