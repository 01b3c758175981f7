package gateway

import (
	"time"
)

// soakPoints is how often memory and goroutines are looked at in all.
const soakPoints = 240

// Soak is a long run at half load.
type Soak struct {
	Contestant, Body string
	Rate, Seconds    float64
	Answered, Lost   float64 // with 200; with another answer or none
	P50, P99         float64 // ms
	Points           []SoakPoint
	Intervals        []SoakInterval
	Invalid          string
}

// SoakPoint is what a look at the process showed.
type SoakPoint struct{ Second, Resident, Goroutines float64 }

// SoakInterval is what the generator saw in a part of the run.
type SoakInterval struct{ Second, Rate, P99 float64 }

// soakPart loads the gateway for a long time with half of what it carries.
func (l *lab) soakPart() error {
	c, b := l.named(ownFull)[0], l.sets[len(l.sets)-1]
	return l.turn(c, b, func(p *running, listen string) error {
		rate := l.half(b)
		l.say("soak: %s, %s, %.0f a second for %v", c.name, b.name, rate, l.soak)
		type outcome struct {
			run *replayed
			err error
		}
		ended, began := make(chan outcome, 1), time.Now()
		go func() {
			r, err := l.replay(b, listen, load{rate: rate, connections: connectionsUsual, duration: l.soak})
			ended <- outcome{r, err}
		}()
		out := &Soak{Contestant: c.name, Body: b.name, Rate: rate}
		look := time.NewTicker(max(l.soak/soakPoints, 100*time.Millisecond))
		defer look.Stop()
		var done outcome
		for done.run == nil {
			select {
			case <-look.C:
				resident, _ := p.Memory()
				out.Points = append(out.Points, SoakPoint{time.Since(began).Seconds(), resident, p.goroutines(l.ctx)})
			case done = <-ended:
			}
		}
		if done.err != nil {
			return done.err
		}
		t := &done.run.Target
		out.Seconds, out.Invalid = done.run.Seconds, done.run.Invalid
		out.Answered, out.Lost = t.Statuses["200"], t.Answered+t.Failed-t.Statuses["200"]
		out.P50, out.P99 = t.LatencyMs["p50"], t.LatencyMs["p99"]
		for _, i := range t.Intervals {
			if i.Length > 0 {
				out.Intervals = append(out.Intervals, SoakInterval{i.At, i.OK / i.Length, i.P99})
			}
		}
		l.results.Soak = out
		return nil
	})
}

func (l *lab) soakEstimate() time.Duration { return l.soak + startTakes + 2*loadTakes + l.warm }

// growth is by how much a quantity is larger in the last quarter than in the second, as a share:
// the first quarter is for pools to fill.
func (s *Soak) growth(of func(SoakPoint) float64) float64 {
	n := len(s.Points)
	if n < 8 {
		return 0
	}
	mean := func(list []SoakPoint) (sum float64) {
		for _, p := range list {
			sum += of(p)
		}
		return sum / float64(len(list))
	}
	early, late := mean(s.Points[n/4:n/2]), mean(s.Points[3*n/4:])
	if early == 0 {
		return 0
	}
	return late/early - 1
}

// Growth returns by how much memory and goroutines have grown.
func (s *Soak) Growth() (memory, goroutines float64) {
	return s.growth(func(p SoakPoint) float64 { return p.Resident }), s.growth(func(p SoakPoint) float64 { return p.Goroutines })
}
