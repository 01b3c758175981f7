package gateway

import (
	"fmt"
	"math"
	"strings"
)

// The targets.
const (
	onOffMax   = 1.10 // processor time, verdict on against off
	bareMax    = 1.20 // the same against the bare proxy
	reverseMax = 0.50 // against ReverseProxy
	addedMax   = 120  // µs of p50 over a direct call at the planned rate
	tailMax    = 3    // times the bare proxy's p99
	memoryMax  = 80   // MiB with 1,000 connections and an upstream that takes 20 ms
	goodputMin = 0.9  // of the peak when three times as much is offered
	budgetMs   = 100  // of accepted requests then: at most the shortest tmax of the bodies
	growthMax  = 0.05 // of memory and goroutines in a long run
	soakMin    = 30 * 60
)

// target is what should be, and what is.
type target struct {
	what, want, got string
	met             bool
}

// ratioOf returns the ratios of processor time for all bodies.
func (r *Results) ratioOf(other string) (texts []string, worst float64) {
	for _, b := range r.Bodies {
		s := r.ratio("cost", ownFull, other, b.Name, perRequest)
		if s.Count == 0 {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s %.2f", b.Name, s.Median))
		worst = max(worst, s.Median)
	}
	return texts, worst
}

// targets compares results with what they should be. What was not measured is left out.
func (r *Results) targets() (list []target) {
	add := func(what, want string, texts []string, met bool) {
		if len(texts) > 0 {
			list = append(list, target{what, want, strings.Join(texts, ", "), met})
		}
	}
	for _, t := range []struct {
		what, other string
		most        float64
	}{
		{"processor time for a request, verdict on against off", ownOff, onOffMax},
		{"the same against the bare proxy", bareName, bareMax},
		{"the same against ReverseProxy", reverse, reverseMax},
	} {
		texts, worst := r.ratioOf(t.other)
		add(t.what, fmt.Sprintf("at most %.2f", t.most), texts, worst <= t.most)
	}
	r.latencyTargets(add)
	if s := statOf(r.samples("memory", ownFull, r.firstBody("memory")), peak); s.Count > 0 {
		add("peak memory, 1,000 connections, upstream of 20 ms", fmt.Sprintf("at most %d MiB", memoryMax), []string{fmt.Sprintf("%.0f MiB", s.Median)}, s.Median <= memoryMax)
	}
	for _, kind := range []string{overloadUpstream, overloadGateway} {
		if share, latency, ok := r.goodput(ownFull, kind); ok {
			add("three times the capacity of the "+kind+" offered", fmt.Sprintf("at least %.1f of the peak, p99 below %d ms", goodputMin, budgetMs),
				[]string{fmt.Sprintf("%.2f, %.1f ms", share, latency)}, share >= goodputMin && latency < budgetMs)
		}
	}
	if s := r.Soak; s != nil {
		memory, goroutines := s.Growth()
		add(fmt.Sprintf("growth in %.0f minutes at half load", s.Seconds/60), fmt.Sprintf("at most %.0f%% in 30 minutes", 100*growthMax),
			[]string{fmt.Sprintf("memory %+.1f%%, goroutines %+.1f%%", 100*memory, 100*goroutines)},
			memory <= growthMax && goroutines <= growthMax && s.Seconds >= soakMin*0.99 && s.Invalid == "")
	}
	return list
}

// latencyTargets adds those about latency at the planned rate.
func (r *Results) latencyTargets(add func(what, want string, texts []string, met bool)) {
	var added, tails []string
	addedWorst, tailWorst := math.Inf(-1), 0.0
	for _, b := range r.Bodies {
		own, none := statOf(r.samples("latency", ownFull, b.Name), p50), statOf(r.samples("latency direct", ownFull, b.Name), p50)
		if own.Count > 0 && none.Count > 0 {
			micros := 1e3 * (own.Median - none.Median)
			added, addedWorst = append(added, fmt.Sprintf("%s %.0f µs", b.Name, micros)), max(addedWorst, micros)
		}
		if tail := r.ratio("latency", ownFull, bareName, b.Name, p99); tail.Count > 0 {
			tails, tailWorst = append(tails, fmt.Sprintf("%s %.2f", b.Name, tail.Median)), max(tailWorst, tail.Median)
		}
	}
	add("p50 over a direct call at the planned rate", fmt.Sprintf("at most %d µs", addedMax), added, addedWorst <= addedMax)
	add("p99 there, against the bare proxy's", fmt.Sprintf("at most %d times", tailMax), tails, tailWorst <= tailMax)
}

// firstBody is the body of a part that has one.
func (r *Results) firstBody(part string) string {
	for _, s := range r.Samples {
		if s.Part == part {
			return s.Body
		}
	}
	return ""
}

// goodput returns which share of the peak's goodput a contestant has under overload, and a bound of
// the p99 of what it accepts: the p99.9 of all answers from when they were sent, since at least a
// tenth of them are accepted and those take the longest.
func (r *Results) goodput(contestant, kind string) (share, latency float64, ok bool) {
	body := r.firstBody("overload " + kind)
	top := statOf(r.samples("overload "+kind+" peak", contestant, body), throughput)
	var loaded []Sample
	for _, s := range r.Samples { // the generator is expected to be late here
		if s.Part == "overload "+kind && s.Contestant == contestant {
			loaded = append(loaded, s)
		}
	}
	good := statOf(loaded, throughput)
	if top.Count == 0 || good.Count == 0 || top.Median == 0 {
		return 0, 0, false
	}
	late := statOf(loaded, func(s *Sample) float64 { return s.NaiveP99 })
	return good.Median / top.Median, late.Median, true
}
