//go:build unix

package kafka

import (
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// unhurt checks that no membership of the program has ended early.
func (p *process) unhurt(t *testing.T) {
	t.Helper()
	if n := sum(p.metrics(t), "rtbwire_stream_restarts_total"); n != 0 {
		t.Errorf("%v restarts", n)
	}
}

// TestTimestamps has records with timestamps that the written topics do not take: one in 20 is of
// next day, some of them dead letters. They are written with the time of now and say which was
// theirs. The topics have their limits from the beginning, or get them while the program runs: then
// it learns of them by what is refused.
func TestTimestamps(t *testing.T) {
	for name, later := range map[string]bool{"known": false, "new": true} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, args []string) {
				const setting, limit = "message.timestamp.after.max.ms", time.Hour
				s := newStage(t, shared.get(t), len(codecs))
				s.set(t, s.source, setting, strconv.FormatInt(1<<63-1, 10))
				take := func(limit time.Duration) {
					for _, topic := range []string{s.accepted, s.dead} {
						s.set(t, topic, setting, strconv.FormatInt(limit.Milliseconds(), 10))
					}
				}
				late := time.Now().Add(24 * time.Hour).Truncate(time.Millisecond)
				ordinary, verdict := s.make, s.expect
				s.make = func(n int) *kgo.Record {
					r := ordinary(n)
					if n%20 == 17 { // half of them are poison
						r.Timestamp = late
					}
					return r
				}
				s.expect = func(r *kgo.Record) expectation {
					e := verdict(r)
					e.late = r.Timestamp.Equal(late)
					return e
				}
				if !later {
					take(limit)
				}
				f := newFeeder(t, s)
				f.all(17) // none of them is late
				p := s.run(t, args...)
				s.done(t, p)
				if later {
					take(limit)
				}
				f.all(2000)
				s.done(t, p)
				p.unhurt(t)
				p.Stop(t)
				s.account(t, s.again(args, later))
			})
		})
	}
}

// again is how many records may come twice after some were refused: in transactions none, else
// those that were on their way with them.
func (s *stage) again(args []string, refused bool) int {
	if len(args) > 0 || !refused {
		return 0
	}
	return s.count()
}

// TestRefused has a topic of accepted records that takes none without a key, as topics that are
// compacted do. Those are dead letters; nothing is lost, and the program stays in its group.
func TestRefused(t *testing.T) {
	eachWay(t, func(t *testing.T, args []string) {
		s := newStage(t, shared.get(t), len(codecs))
		s.set(t, s.accepted, "cleanup.policy", "compact")
		verdict := s.expect
		s.expect = func(r *kgo.Record) expectation {
			e := verdict(r)
			if e.reason == "" && r.Key == nil {
				e.reason, e.nbr, e.offset = "stream.undeliverable", int(adcom.NoBidReasonTechnicalError), -1
			}
			return e
		}
		newFeeder(t, s).all(testkit.Scale(t, 300, 1000, 3000))
		began := time.Now()
		p := s.run(t, args...)
		s.done(t, p)
		t.Logf("in %v", time.Since(began).Round(time.Millisecond))
		p.unhurt(t)
		p.Stop(t)
		s.account(t, s.again(args, true))
	})
}
