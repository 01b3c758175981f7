package core

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// LatencyMax is the longest latency.
const LatencyMax = time.Minute

// Latency is a distribution of latencies; the zero value adds no latency. Make it with
// [ParseLatency].
type Latency struct {
	text     string
	quantile func(u float64) float64 // in seconds, for u in [0, 1)
}

// ParseLatency reads a distribution:
//
//	2ms                          always the same
//	p50=2ms,p99=20ms             a log-normal distribution through quantiles; with more than two
//	                             of them, log-normal in pieces
//	uniform=1ms..5ms             every latency between the two is as likely
//	exponential=2ms              exponential with that mean; exp is accepted too
//
// No latency is longer than [LatencyMax].
func ParseLatency(text string) (Latency, error) {
	kind, value, found := strings.Cut(text, "=")
	l := Latency{text: text}
	switch {
	case !found:
		d, err := seconds(text)
		if err != nil {
			return Latency{}, err
		}
		l.quantile = func(float64) float64 { return d }
	case kind == "uniform":
		from, to, _ := strings.Cut(value, "..")
		a, err := seconds(from)
		if err != nil {
			return Latency{}, err
		}
		b, err := seconds(to)
		if err != nil {
			return Latency{}, err
		}
		if a > b {
			return Latency{}, fmt.Errorf("core: latency %q: %s is more than %s", text, from, to)
		}
		l.quantile = func(u float64) float64 { return a + u*(b-a) }
	case kind == "exponential" || kind == "exp":
		mean, err := seconds(value)
		if err != nil {
			return Latency{}, err
		}
		l.quantile = func(u float64) float64 { return -mean * math.Log1p(-u) }
	default:
		q, err := parseQuantiles(text)
		if err != nil {
			return Latency{}, err
		}
		l.quantile = q.at
	}
	return l, nil
}

// String returns the text that was parsed, "0s" for the zero value.
func (l Latency) String() string {
	if l.quantile == nil {
		return "0s"
	}
	return l.text
}

// At returns the latency that a share of u, from 0 to 1, of all latencies is below.
func (l Latency) At(u float64) time.Duration {
	if l.quantile == nil {
		return 0
	}
	s := min(l.quantile(min(max(u, 0), 1-1e-9)), LatencyMax.Seconds())
	return time.Duration(s * float64(time.Second))
}

// seconds reads a duration.
func seconds(text string) (float64, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > LatencyMax {
		return 0, fmt.Errorf("core: latency %q: want a duration from 0 to %v, such as 2ms, p50=2ms,p99=20ms, uniform=1ms..5ms or exponential=2ms", text, LatencyMax)
	}
	return d.Seconds(), nil
}

// quantiles is a distribution whose logarithm is linear in the quantile of the normal distribution,
// between each two of the points that are given and beyond them.
type quantiles []point

type point struct{ z, log float64 }

// parseQuantiles reads "p50=2ms,p99=20ms".
func parseQuantiles(text string) (quantiles, error) {
	var q quantiles
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
		if err != nil || !strings.HasPrefix(name, "p") || !(percent > 0 && percent < 100) {
			return nil, fmt.Errorf("core: latency %q: %q is not a quantile such as p50 or p99.9", text, name)
		}
		s, err := seconds(value)
		if err != nil {
			return nil, err
		}
		if s == 0 {
			return nil, fmt.Errorf("core: latency %q: quantiles of a log-normal distribution are above 0", text)
		}
		q = append(q, point{normalQuantile(percent / 100), math.Log(s)})
	}
	slices.SortFunc(q, func(a, b point) int { return cmp.Compare(a.z, b.z) })
	for i := 1; i < len(q); i++ {
		if q[i].z == q[i-1].z || q[i].log < q[i-1].log {
			return nil, fmt.Errorf("core: latency %q: higher quantiles need longer latencies", text)
		}
	}
	return q, nil
}

// normalQuantile is the inverse of the standard normal distribution.
func normalQuantile(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// at returns the latency at u, in seconds.
func (q quantiles) at(u float64) float64 {
	if len(q) == 1 {
		return math.Exp(q[0].log)
	}
	z := normalQuantile(max(u, 1e-9))
	i := 1
	for i < len(q)-1 && z > q[i].z {
		i++
	}
	a, b := q[i-1], q[i]
	return math.Exp(a.log + (z-a.z)*(b.log-a.log)/(b.z-a.z))
}
