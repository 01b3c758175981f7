package stream

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/process"
)

// sample is one measurement of a contestant.
type sample struct {
	rate         float64 // records a second
	cpu          float64 // µs for a record
	user, system float64 // the same, to 10 ms of the whole
	core, broker float64 // shares of their cores that contestant and broker have kept busy
	brokerCPU    float64 // µs of the broker for a record
	peak         float64 // MiB
	refused      float64 // share of the records that are dead letters
}

// A measurement begins when warmShare of the records are written, and ends with endShare of them:
// neither the start of a process nor its end counts.
const (
	warmShare, endShare = 0.1, 0.95
	step                = 20 * time.Millisecond // between two looks at the topics
	sampleMax           = 5 * time.Minute
	stopMax             = 30 * time.Second // until a contestant has ended
)

// look is what was seen at a moment.
type look struct {
	at          time.Time
	records     int64
	own, broker process.Used
}

// sample starts a contestant, has it copy the topic, and stops it.
func (l *lab) sample(c *contestant) (s sample, err error) {
	l.number++
	group, accepted, dead := fmt.Sprintf("group-%d", l.number), fmt.Sprintf("accepted-%d", l.number), fmt.Sprintf("dead-%d", l.number)
	if err := l.broker.create(l.ctx, l.partitions, accepted, dead); err != nil {
		return s, err
	}
	admin := ""
	if c.own && l.profiles != "" {
		if admin, err = measure.FreeAddress(); err != nil {
			return s, err
		}
	}
	p, err := process.Start(process.Core(l.ownCore), filepath.Join(l.dir, "contestant.log"), l.command(c, group, accepted, dead, admin)...)
	if err != nil {
		return s, err
	}
	if admin != "" {
		wait := l.takeProfile(c, admin)
		defer func() { err = errors.Join(err, wait()) }()
	}
	s, err = l.watch(p, group, accepted, dead)
	if err != nil {
		p.Kill()
		return s, fmt.Errorf("%w\n%s", err, p.Tail())
	}
	if err := p.Stop(stopMax); err != nil {
		return s, err
	}
	if err := l.verify(c, &s, group, accepted, dead); err != nil {
		return s, err
	}
	return s, l.broker.remove(l.ctx, group, accepted, dead)
}

// watch looks until everything is written and committed, and returns what was used in between.
func (l *lab) watch(p *process.Process, group string, topics ...string) (s sample, err error) {
	var first, last look
	total := int64(l.records)
	err = waitFor(l.ctx, "the records", sampleMax, step, func() (bool, error) {
		if err := p.Alive(); err != nil {
			return false, err
		}
		now, err := l.look(p, topics...)
		switch {
		case err != nil:
			return false, err
		case first.at.IsZero() && now.records >= int64(warmShare*float64(total)):
			first = now
		case now.records >= int64(endShare*float64(total)):
			last = now
			return true, nil
		}
		return false, nil
	})
	if err != nil {
		return s, err
	}
	err = waitFor(l.ctx, "the last commit", time.Minute, 10*step, func() (bool, error) {
		n, err := l.broker.committed(l.ctx, group)
		return n >= total, errors.Join(err, p.Alive())
	})
	s = between(&first, &last)
	_, s.peak = p.Memory()
	return s, err
}

func (l *lab) look(p *process.Process, topics ...string) (k look, err error) {
	if k.records, err = l.broker.written(l.ctx, topics...); err != nil {
		return k, err
	}
	k.at = time.Now()
	if k.own, err = process.UsedBy(p.PID()); err != nil {
		return k, err
	}
	k.broker, err = process.UsedBy(l.broker.pid())
	return k, err
}

// between returns what was used between two looks.
func between(first, last *look) (s sample) {
	records, seconds := float64(last.records-first.records), last.at.Sub(first.at).Seconds()
	micros := func(d time.Duration) float64 { return d.Seconds() * 1e6 / records }
	s.rate = records / seconds
	s.cpu = micros(last.own.CPU - first.own.CPU)
	s.user, s.system = micros(last.own.User-first.own.User), micros(last.own.System-first.own.System)
	s.core = (last.own.CPU - first.own.CPU).Seconds() / seconds
	s.broker = (last.broker.CPU - first.broker.CPU).Seconds() / seconds
	s.brokerCPU = micros(last.broker.CPU - first.broker.CPU)
	return s
}

// verify checks after the end that each record was written once, and is committed.
func (l *lab) verify(c *contestant, s *sample, group, accepted, dead string) error {
	done, err := l.broker.committed(l.ctx, group)
	if err != nil {
		return err
	}
	good, err := l.broker.written(l.ctx, accepted)
	if err != nil {
		return err
	}
	bad, err := l.broker.written(l.ctx, dead)
	if err != nil {
		return err
	}
	total := int64(l.records)
	if done != total || good+bad < total || !c.exactlyOnce && good+bad != total {
		return fmt.Errorf("of %d records, %d are committed, %d accepted, %d refused", total, done, good, bad)
	}
	s.refused = float64(bad) / float64(total)
	return nil
}
