package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/pprof/profile"
)

// Share is a part of the processor time of a program.
type Share struct {
	Contestant, Body, Name string
	Share                  float64
}

// The parts of processor time: a sample belongs to the first one of which a function is on the
// stack.
var shareNames = []struct {
	name string
	on   *regexp.Regexp
}{
	{"collector", regexp.MustCompile(`^runtime\.(gcBgMarkWorker|gcAssistAlloc|bgsweep|bgscavenge|gcStart|gcMarkDone|gcMarkTermination|gcDrain)`)},
	{"decode", regexp.MustCompile(`inspect\.\(\*Worker\)\.Decode|^encoding/json\.Unmarshal|goccy/go-json[./]`)},
	{"decide", regexp.MustCompile(`inspect\.\(\*Worker\)\.|inspect/window\.|^main\.validate`)},
	{"system calls", regexp.MustCompile(`^(internal/runtime/)?syscall|^runtime\.(futex|epollwait|usleep|netpoll)`)},
	{"allocation", regexp.MustCompile(`^runtime\.(mallocgc|newobject|growslice|makeslice)`)},
}

// otherShare is the rest: HTTP, headers, the scheduler.
const otherShare = "HTTP and the rest"

// shares takes a profile of each Go program with all connections busy.
func (l *lab) shares() error {
	list := l.named(ownFull, bareName, reverse, goJSON, stdJSON)
	return l.rounds(1, list, "shares", func(_ int, c *contestant, b *body) error {
		return l.turn(c, b, func(p *running, listen string) (err error) {
			for range attempts {
				var text []byte
				if text, err = l.profile(p, b, listen); err != nil {
					return err
				}
				if err = l.split(c, b, text); err == nil {
					break
				}
			}
			return err
		})
	})
}

// profile takes a profile under load. The load goes on longer, since the generator reads its file
// first.
func (l *lab) profile(p *running, b *body, listen string) ([]byte, error) {
	loaded := make(chan error, 1)
	go func() {
		_, err := l.replay(b, listen, load{connections: connectionsUsual, duration: 3*l.steady + 500*time.Millisecond})
		loaded <- err
	}()
	seconds := max(1, int((2*l.steady)/time.Second))
	text, err := p.ask(l.ctx, fmt.Sprintf("profile?seconds=%d", seconds))
	return text, errors.Join(err, <-loaded)
}

// split adds the shares of a profile.
func (l *lab) split(c *contestant, b *body, text []byte) error {
	p, err := profile.Parse(bytes.NewReader(text))
	if err != nil {
		return err
	}
	sums, total := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		n := s.Value[len(s.Value)-1]
		total += n
		sums[shareOf(s)] += n
	}
	if total == 0 {
		return fmt.Errorf("the profile of %s is empty", c.name)
	}
	for _, name := range allShares() {
		l.results.Shares = append(l.results.Shares, Share{c.name, b.name, name, float64(sums[name]) / float64(total)})
	}
	return nil
}

// allShares are the names of all parts.
func allShares() (names []string) {
	for _, n := range shareNames {
		names = append(names, n.name)
	}
	return append(names, otherShare)
}

// shareOf returns the part that a sample belongs to.
func shareOf(s *profile.Sample) string {
	for _, n := range shareNames {
		for _, at := range s.Location {
			for _, line := range at.Line {
				if line.Function != nil && n.on.MatchString(line.Function.Name) {
					return n.name
				}
			}
		}
	}
	return otherShare
}

func (l *lab) sharesEstimate() time.Duration {
	return time.Duration(5*len(l.sets)) * (startTakes + 2*loadTakes + l.warm + 3*l.steady + 500*time.Millisecond)
}
