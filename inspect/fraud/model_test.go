package fraud

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// checkScore holds what is true of every score, and returns it.
func checkScore(tb testing.TB, m *Model, in Input, scratch *Scratch) (int, []Hit) {
	tb.Helper()
	before := Hit{Signal: int(signalCount), Points: 1000, Path: "before"}
	score, hits := m.Score(in, scratch, []Hit{before})
	if len(hits) == 0 || hits[0] != before {
		tb.Fatalf("the caller's hits are %+v", hits)
	}
	hits = hits[1:]
	for i, h := range hits {
		if h.Points < 1 || h.Points > m.Weight(h.Signal) || i > 0 && hits[i-1].Signal >= h.Signal {
			tb.Fatalf("hit %d of %+v is wrong, or not in order", i, hits)
		}
		if s := signals[h.Signal]; h.Points != m.Weight(h.Signal) && s.ID != "vendor.score" || (h.Path == "") != (s.family == familyVendor) {
			tb.Fatalf("hit %d of %+v has other points than its weight, or a wrong path", i, hits)
		}
	}
	if score < 0 || score > ScoreMax || score != sum(m, hits) {
		tb.Fatalf("the score of %+v is %d, want %d", hits, score, sum(m, hits))
	}
	return score, hits
}

// sample is one of the cases of the signals.
type sample struct {
	signal int
	has    bool
	doc    string
	with   func(*Config, *rule.Facts)
}

// samples are all cases of the signals, in the same order every time.
func samples() (list []sample) {
	for n, s := range signals {
		for i := range signalCases[s.ID] {
			c := &signalCases[s.ID][i]
			for _, path := range slices.Sorted(maps.Keys(c.has)) {
				for _, doc := range c.has[path] {
					list = append(list, sample{n, true, doc, c.with})
				}
			}
			for _, doc := range c.not {
				list = append(list, sample{n, false, doc, c.with})
			}
		}
	}
	return list
}

// mixer makes requests out of the cases of several signals.
type mixer struct {
	samples []sample
	random  *rand.Rand
}

func newMixer(seed uint64) *mixer { return &mixer{samples(), testkit.Rand(seed)} }

// below returns a number that is the same on all platforms.
func (m *mixer) below(n int) int { return int(m.random.Uint64() % uint64(n)) }

// next merges the documents of a few cases, most of which have a signal.
func (m *mixer) next() (doc []byte, config Config, f *rule.Facts) {
	f = &rule.Facts{}
	var all any = map[string]any{}
	for range 1 + m.below(6) {
		s := m.samples[m.below(len(m.samples))]
		if !s.has && m.below(4) > 0 || len(s.doc) > 2000 && m.below(8) > 0 {
			continue
		}
		all = merged(all, decoded(s.doc))
		if s.with != nil {
			s.with(&config, f)
		}
	}
	return encoded(all), config, f
}

// decoded and encoded turn text into values and back, with numbers as they were written.
func decoded(doc string) (v any) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func encoded(v any) []byte {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return doc
}

// merged puts two JSON values together: the members of objects, and the elements of arrays one
// after the other.
func merged(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		if a, ok := a.(map[string]any); ok {
			for name, v := range b {
				if old, both := a[name]; both {
					v = merged(old, v)
				}
				a[name] = v
			}
			return a
		}
	case []any:
		if a, ok := a.([]any); ok {
			return slices.Concat(a, b)
		}
	}
	return b
}

// TestMonotonous: a signal more, or more weight, never lowers a score, and what is seen does not
// depend on the other signals.
func TestMonotonous(t *testing.T) {
	mix := newMixer(1)
	weights := func(odds int) map[string]int {
		w := map[string]int{}
		for _, s := range signals {
			if mix.below(odds) == 0 {
				w[s.ID] = mix.below(ScoreMax + 1)
			}
		}
		return w
	}
	several, capped, full := 0, 0, 0
	var scratch Scratch
	for range testkit.Scale(t, 300, 3000, 100_000) {
		doc, config, f := mix.next()
		in := Input{parse(t, doc), f}
		config.Weights = weights(3)
		more := mustNew(t, config)
		lower := maps.Clone(config.Weights)
		for n, s := range signals {
			if mix.below(2) == 0 {
				lower[s.ID] = mix.below(more.Weight(n)+1) * mix.below(2) // 0 as often as not
			}
		}
		config.Weights = lower
		less := mustNew(t, config)
		score, hits := checkScore(t, more, in, &scratch)
		small, few := checkScore(t, less, in, &scratch)
		if small > score {
			t.Fatalf("%s: %d with the weights %v, %d with lower ones", testkit.Abridged(doc), score, hits, small)
		}
		seen := func(hits []Hit) (list []string) {
			for _, h := range hits {
				if less.Weight(h.Signal) > 0 {
					list = append(list, signals[h.Signal].ID+h.Path)
				}
			}
			return list
		}
		if a, b := seen(hits), seen(few); !slices.Equal(a, b) {
			t.Fatalf("%s: %v are seen with others, %v without", testkit.Abridged(doc), a, b)
		}
		total := 0
		for _, h := range hits {
			total += h.Points
		}
		several += min(len(hits)/4, 1)
		capped += min(total-score, 1)
		full += score / ScoreMax
	}
	if several < 10 || capped < 10 || full < 5 {
		t.Errorf("%d requests have four signals, %d a cap that holds, %d the highest score", several, capped, full)
	}
}

// TestCaps has, for each family, more points than its cap, and one weight above it.
func TestCaps(t *testing.T) {
	for name, limit := range Caps() {
		if limit < 1 || limit > ScoreMax {
			t.Errorf("%s has the cap %d", name, limit)
		}
		doc, config := any(map[string]any{}), Config{}
		f := &rule.Facts{}
		count := 0
		for _, s := range samples() {
			if s.has && signals[s.signal].Family() == name {
				doc = merged(doc, decoded(s.doc))
				if s.with != nil {
					s.with(&config, f)
				}
				count++
			}
		}
		in := Input{parse(t, encoded(doc)), f}
		config.Weights = map[string]int{}
		for _, s := range signals {
			config.Weights[s.ID] = 0
			if s.Family() == name {
				config.Weights[s.ID] = limit
			}
		}
		var scratch Scratch
		score, hits := checkScore(t, mustNew(t, config), in, &scratch)
		if len(hits) < 2 || score != limit {
			t.Errorf("%s: %d cases have the signals %+v and the score %d, want %d", name, count, hits, score, limit)
			continue
		}
		heavy := min(limit+10, ScoreMax)
		config.Weights[signals[hits[1].Signal].ID] = heavy
		if score, _ = checkScore(t, mustNew(t, config), in, &scratch); score != heavy {
			t.Errorf("%s: a signal of the weight %d gives the score %d", name, heavy, score)
		}
	}
}

// TestSharedModels scores the same requests in several goroutines, with warm and cold memory, after
// other requests: the scores are the same every time.
func TestSharedModels(t *testing.T) {
	type scored struct {
		m    *Model
		in   Input
		want string
	}
	mix := newMixer(2)
	var list []scored
	for range testkit.Scale(t, 100, 400, 5000) {
		doc, config, f := mix.next()
		s := scored{m: mustNew(t, config), in: Input{parse(t, doc), f}}
		score, hits := checkScore(t, s.m, s.in, new(Scratch))
		s.want = fmt.Sprint(score, hits)
		list = append(list, s)
	}
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			random := testkit.Rand(uint64(g))
			var scratch Scratch
			for range 3 {
				for _, i := range random.Perm(len(list)) {
					s := &list[i]
					score, hits := s.m.Score(s.in, &scratch, nil)
					if got := fmt.Sprint(score, hits); got != s.want {
						t.Errorf("goroutine %d: got %s, want %s", g, got, s.want)
						return
					}
					if i%7 == 0 {
						scratch.Release()
					}
				}
			}
		})
	}
	group.Wait()
}

func TestNewErrors(t *testing.T) {
	for want, c := range map[string]Config{
		`unknown signal "address.privat" (did you mean "address.private"?)`: {Weights: map[string]int{"address.privat": 1}},
		`unknown signal "x"`:                               {Weights: map[string]int{"x": 1}},
		`address.peer has the weight 101 (want 0 to 100)`:  {Weights: map[string]int{"window.seen": 101, "address.peer": 101}}, // the first by id
		`window.seen has the weight -1 (want 0 to 100)`:    {Weights: map[string]int{"window.seen": -1}},
		`the limit IFA is -1 (want 1 or more`:              {Limits: Limits{IFA: -1}},
		`the limit Address is -2`:                          {Limits: Limits{Address: -2}},
		`the limit Nodes is -1`:                            {Limits: Limits{Nodes: -1}},
		`the limit Imps is -1`:                             {Limits: Limits{Imps: -1}},
		`the limit TMaxMin is -1`:                          {Limits: Limits{TMaxMin: -1}},
		`the limit TMaxMax is -1`:                          {Limits: Limits{TMaxMax: -1}},
		`the limit Floor is -0.5 (want a positive number`:  {Limits: Limits{Floor: -0.5}},
		`the limit Floor is NaN`:                           {Limits: Limits{Floor: math.NaN()}},
		`the limits of tmax are 20000 and 10000 (want the`: {Limits: Limits{TMaxMin: 20_000}},
		`the limits of tmax are 30 and 20`:                 {Limits: Limits{TMaxMax: 20}},
		`"partner" is not the domain of an advertising`:    {Systems: []string{"exchange.example", "partner"}},
		`"https://a.example" is not the domain`:            {Systems: []string{"https://a.example"}},
		`"a.example, b.example" is not the domain`:         {Systems: []string{"a.example, b.example"}},
		`"" is not the domain`:                             {Systems: []string{""}},
	} {
		m, err := New(c)
		if m != nil || err == nil || !strings.HasPrefix(err.Error(), "fraud: "+want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNewKeepsNothing: the model does not change with what it was made of.
func TestNewKeepsNothing(t *testing.T) {
	c := Config{Weights: map[string]int{"supply.last": 7}, Systems: []string{"a.example"}}
	m := mustNew(t, c)
	c.Weights["supply.last"], c.Systems[0] = 70, "b.example"
	in := Input{Request: parse(t, []byte(`{"source":{"schain":{"complete":1,"nodes":[{"asi":"b.example","sid":"1"}]}}}`))}
	if score, hits := checkScore(t, m, in, new(Scratch)); score != 7 || m.Weight(int(supplyLast)) != 7 {
		t.Errorf("got %d, %+v", score, hits)
	}
	for n, s := range Signals() {
		if s.ID != "supply.last" && m.Weight(n) != s.Weight {
			t.Errorf("%s has the weight %d", s.ID, m.Weight(n))
		}
	}
}

// TestShares rounds the share of a weight up, so that an answer above 0 counts.
func TestShares(t *testing.T) {
	for weight := 1; weight <= ScoreMax; weight += 33 {
		m := mustNew(t, Config{Weights: map[string]int{"vendor.score": weight}})
		for answer := range ScoreMax + 1 {
			f := &rule.Facts{Vendor: []rule.VendorAnswer{{Score: answer / 2}, {Score: answer}, {Score: answer / 3}}}
			score, hits := m.Score(Input{&openrtb.BidRequest{}, f}, new(Scratch), nil)
			if want := int(math.Ceil(float64(weight*answer) / ScoreMax)); score != want || len(hits) != min(answer, 1) {
				t.Errorf("the answer %d at the weight %d: %d, %+v", answer, weight, score, hits)
			}
		}
	}
}

// TestReleaseDropsTheRequest: nothing of a request is kept.
func TestReleaseDropsTheRequest(t *testing.T) {
	var s Scratch
	s.Release() // before the first use
	in := Input{Request: parse(t, []byte(chains(chain(3))[chainPathExt][0]))}
	_, hits := mustNew(t, Config{Limits: Limits{Nodes: 2}}).Score(in, &s, nil)
	if len(hits) != 1 {
		t.Fatalf("got %+v", hits)
	}
	if s.scorer.r != nil || s.scorer.in.Request != nil || s.scorer.device != nil || s.scorer.hits != nil || s.scorer.Model != nil {
		t.Error("the scratch keeps the request")
	}
	s.Release()
	s.Release()
	if _, again := mustNew(t, Config{Limits: Limits{Nodes: 2}}).Score(in, &s, nil); !slices.Equal(again, hits) {
		t.Errorf("after Release: %+v", again)
	}
}
