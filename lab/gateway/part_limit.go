package gateway

import (
	"strconv"
	"time"
)

// limitKept is what the highest rate has to keep.
const limitKept = "p99<5ms"

// found is what rtbwire replay --find-limit prints.
type found struct {
	Rate      float64 `json:"rate"`
	Generator bool    `json:"generator"` // it gave up first
	Best      *struct {
		Target struct {
			LatencyMs map[string]float64 `json:"latency_ms"`
		} `json:"target"`
	} `json:"best"`
}

// limit finds the highest rate of each contestant that keeps the limit.
func (l *lab) limit() error {
	return l.rounds(1, l.entries, "limit", func(round int, c *contestant, b *body) error {
		return l.turn(c, b, func(_ *running, listen string) error {
			s, err := l.findLimit(b, listen, b.most[c.name], l.step)
			if err == nil {
				l.add("limit", c, round, s)
			}
			return err
		})
	})
}

// findLimit finds the highest rate that keeps the limit. The first one is half of the most that was
// carried.
func (l *lab) findLimit(b *body, listen string, most float64, step time.Duration) (Sample, error) {
	var f found
	err := l.generate(&f, b, listen, load{connections: connectionsUsual, duration: step},
		"--find-limit", limitKept, "--rate", strconv.FormatFloat(max(most/2, 100), 'f', 0, 64))
	s := Sample{Body: b.name, Offered: f.Rate, Answered: f.Rate}
	if f.Generator {
		s.Invalid = "the generator gave up first: the contestant may carry more"
	}
	if f.Best != nil {
		s.P50, s.P90, s.P99, s.P999 = f.Best.Target.LatencyMs["p50"], f.Best.Target.LatencyMs["p90"], f.Best.Target.LatencyMs["p99"], f.Best.Target.LatencyMs["p99.9"]
	}
	return s, err
}

func (l *lab) limitEstimate() time.Duration {
	const steps = 7
	return time.Duration(len(l.entries)*len(l.sets)) * (startTakes + 2*loadTakes + l.warm + steps*l.step)
}
