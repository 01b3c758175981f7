//go:build unix

package kafka

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// large makes every third record one of 2 MB.
func (s *stage) large() {
	s.make = func(n int) *kgo.Record {
		r := record(s.source, n, s.partitions)
		if n%3 == 0 {
			r.Value = request(n, "a.example", 2_000_000)
			if n%2 == 0 {
				r.Value = r.Value[:len(r.Value)-1] // refused
			}
		}
		return r
	}
}

// TestLarge has records of 2 MB, more of them than may be on their way at a time. With --max-record
// they are judged; without it, they are dead letters as a whole. Memory stays within bounds.
func TestLarge(t *testing.T) {
	for name, limit := range map[string]int{"judged": 4 << 20, "refused": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, args []string) {
				s := newStage(t, shared.get(t), len(codecs))
				s.large()
				if limit < 2_000_000 {
					verdict := s.expect
					s.expect = func(r *kgo.Record) expectation {
						if len(r.Value) > limit {
							return expectation{reason: "stream.size", nbr: int(inspect.NBRLimit), offset: -1, value: r.Value}
						}
						return verdict(r)
					}
				} else {
					args = append(args, "--max-record", "4MiB")
				}
				newFeeder(t, s).all(testkit.Scale(t, 120, 300, 600))
				p := s.run(t, args...)
				s.done(t, p)
				most := p.memory(t)
				p.Stop(t)
				t.Logf("at most %d MiB of memory", most)
				if most > 600 {
					t.Errorf("%d MiB of memory", most)
				}
				s.account(t, 0)
			})
		})
	}
}

// TestInflates has batches that are small on the wire and large when they are inflated: 64 MiB of
// spaces in one, for each codec. By default the program stops at one, with an error that says what
// to change, and commits nothing past it. With more memory, everything arrives.
func TestInflates(t *testing.T) {
	s := newStage(t, shared.get(t), len(codecs))
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	s.make = func(n int) *kgo.Record {
		r := record(s.source, n, s.partitions)
		if n < 64*(s.partitions-1) {
			r.Partition = 1 + int32(n/64) // the first one has no compression
			r.Value = spaces
		}
		return r
	}
	verdict := s.expect
	var answer expectation
	s.expect = func(r *kgo.Record) expectation {
		if len(r.Value) != len(spaces) {
			return verdict(r)
		}
		if answer.reason == "" {
			answer = verdict(r)
		}
		return answer
	}
	f := newFeeder(t, s, kgo.ProducerLinger(2e9), kgo.ProducerBatchMaxBytes(80<<20), kgo.MaxBufferedBytes(1<<30))
	f.all(64*s.partitions + 500)

	p := s.begin(t)
	if text := s.stops(t, p); !strings.Contains(text, "--max-in-flight") {
		t.Errorf("no word of what to change: %s", text)
	}
	bound := s.ahead(t)

	p = s.run(t, "--max-in-flight", "512MiB")
	s.done(t, p)
	most := p.memory(t)
	p.Stop(t)
	t.Logf("at most %d MiB of memory", most)
	if most > 2000 {
		t.Errorf("%d MiB of memory", most)
	}
	s.account(t, bound)
}
