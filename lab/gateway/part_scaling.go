package gateway

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/process"
)

// scalingMin is how many cores generator and upstream have at least beside those of the contestant.
const scalingMin = 2

// carriedShare is the share of requests that has to be answered with 200 at a rate that is carried.
const carriedShare = 0.9999

// parseServerCores reads --server-cores.
func parseServerCores(text string, cores int) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case err != nil || n < 1:
			return nil, fmt.Errorf("--server-cores %s: want numbers of cores such as 1,2,4,8: %w", text, ErrUsage)
		case n+scalingMin > cores:
			return nil, fmt.Errorf("--server-cores %s: this machine has %d cores, and generator and upstream need %d of them: %w", text, cores, scalingMin, ErrUsage)
		}
		list = append(list, n)
	}
	return slices.Compact(slices.Sorted(slices.Values(list))), nil
}

// scaling measures contestants on some numbers of cores, each with all connections busy and then at
// the rates that plans are made for. Generator and upstream have the other cores.
func (l *lab) scaling() error {
	numbers, err := parseServerCores(l.serverCoresText, runtime.NumCPU())
	if err != nil {
		return err
	}
	own, sets, onLoad := l.serverCores, l.sets, l.loadCores
	defer func() {
		l.serverCores, l.sets, l.loadCores, l.threads, l.workers = own, sets, onLoad, 1, 1
	}()
	l.sets = sets[len(sets)-1:]
	for _, n := range numbers {
		rest := runtime.NumCPU() - n
		l.workers, l.threads = n, rest/2
		l.serverCores, l.loadCores = process.CoreRange(rest, n), process.CoreRange(0, l.threads)
		l.sinkCores = process.CoreRange(l.threads, rest-l.threads)
		if err := l.startSink("--loops", strconv.Itoa(rest-l.threads)); err != nil {
			return err
		}
		list := l.named(ownFull, ownOff, bareName, "nginx", "haproxy", goJSON)
		what := fmt.Sprintf("scaling, %d cores", n)
		if err := l.rounds(l.few, list, what, l.scale); err != nil {
			return err
		}
	}
	return nil
}

// scale measures one contestant on the cores that it has now.
func (l *lab) scale(round int, c *contestant, b *body) error {
	connections := connectionsUsual * l.workers
	return l.turn(c, b, func(p *running, listen string) error {
		s, err := l.measure(p, b, listen, load{connections: connections, duration: l.windows})
		if err != nil {
			return err
		}
		s.Cores = l.workers
		l.add("scaling", c, round, s)
		for _, rate := range loads {
			if s.Answered < rate {
				continue
			}
			at, err := l.measure(p, b, listen, load{rate: rate, connections: connections, duration: l.windows})
			if err != nil {
				return err
			}
			at.Cores = l.workers
			l.add("scaling", c, round, at)
		}
		return nil
	})
}

func (l *lab) scalingEstimate() time.Duration {
	numbers := 1 + strings.Count(l.serverCoresText, ",")
	return time.Duration(numbers*l.few*6) * (startTakes + 3*loadTakes + l.warm + 3*l.windows)
}

// loads are the rates that cores are computed for, and that are sent where cores are there.
var loads = []float64{50_000, 100_000, 200_000}
