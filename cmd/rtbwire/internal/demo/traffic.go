package demo

import (
	"bytes"
	"context"
	"time"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// answerMax is how long an answer may take. The gateway gives its core a second.
const answerMax = 5 * time.Second

// traffic is what one round sends.
type traffic struct {
	bodies *replay.Bodies
	labels []simulate.Label // in the order of bodies
}

// makeTraffic makes the requests of a round, from number first on. They are new ones in every
// round: the gateway remembers the ids of requests.
func makeTraffic(f *flags, first uint64) (*traffic, error) {
	g, err := f.generator()
	if err != nil {
		return nil, err
	}
	var text []byte
	t := &traffic{}
	for n := range f.requests() {
		was := len(text)
		var label simulate.Label
		if text, label = g.AppendRequest(text, first+n); len(text) == was {
			continue // an empty body can't be a line of a file
		}
		text = append(text, '\n')
		t.labels = append(t.labels, label)
	}
	t.bodies, err = replay.Load([]batch.Input{batch.From("simulated", bytes.NewReader(text))}, replay.LoadOptions{Layout: batch.LayoutLines, MaxMemory: int64(len(text)) + 1})
	return t, err
}

// send sends a round to a URL, and returns what became of it.
func (t *traffic) send(ctx context.Context, f *flags, url string, progress func(replay.Snapshot)) (*replay.Result, error) {
	target, err := replay.ParseTarget(url)
	if err != nil {
		return nil, err
	}
	return replay.Run(ctx, replay.Config{
		Target: target, Bodies: t.bodies, Rate: float64(f.rate), Poisson: true, Seed: f.seed,
		Duration: replay.DurationMax, Requests: int64(t.bodies.Len()),
		Connections: f.connections, Timeout: answerMax, Progress: progress,
	})
}

// outcome counts the requests of a class.
type outcome struct {
	Sent    int `json:"sent"`
	Refused int `json:"refused"`
}

// outcomes compares labels with the ids that the core has got: what did not arrive was refused. A
// request whose id was sent before counts as refused only if both were.
func (t *traffic) outcomes(arrived []string) map[string]outcome {
	left := map[string]int{}
	for _, id := range arrived {
		left[id]++
	}
	all := map[string]outcome{}
	for i := range t.labels {
		l := &t.labels[i]
		own := all[l.Class.String()]
		own.Sent++
		if left[l.ID()]--; left[l.ID()] < 0 {
			own.Refused++
		}
		all[l.Class.String()] = own
	}
	return all
}
