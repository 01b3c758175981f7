package fraud

import (
	"bytes"
	goflag "flag"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

var update = goflag.Bool("update", false, "rewrite the golden file")

// tally is what is noted of a signal, or of the score: how many requests have it, and a sum of
// hashes of the requests with their points and paths. It does not depend on the order, so that a
// new case changes the lines of the signals that it has, and no others.
type tally struct {
	corpus, others int
	hash           uint64
}

func (t *tally) note(isOther bool, doc []byte, what string) {
	if isOther {
		t.others++
	} else {
		t.corpus++
	}
	h := fnv.New64a()
	h.Write(doc)
	h.Write([]byte(what))
	t.hash += h.Sum64()
}

// rich is merged with the cases of the signals, so that these have company.
const rich = `{"id":"1","imp":[{"id":"9","banner":{"w":1,"h":1},"bidfloor":11}],"site":{"domain":"a.example","page":"https://b.example/"},"regs":{"ext":{"gdpr":1,"us_privacy":"1YNN"}},
	"user":{"consent":"x"},"device":{"ip":"8.8.8.8","ipv6":"2600:1f00::1","ifa":"x","lmt":1},"source":{"ext":{"schain":{"complete":0,"nodes":[{"asi":"b.example","sid":"1"}]}}}}`

// damages is how many documents of the corpus are changed and scored again.
const damages = 4000

// TestGoldenScores compares the scores of the corpus, of the cases of the signals, and of damaged
// documents of the corpus with those of the machine that wrote the golden file: they are the same
// on every platform. A line for each signal shows what a change is about. -update writes the file.
func TestGoldenScores(t *testing.T) {
	tallies := make([]tally, signalCount+1) // the last one is the score's
	var scratch Scratch
	var scores [ScoreMax + 1]int
	score := func(isOther bool, m *Model, doc []byte, f *rule.Facts) {
		r, err := openrtb.Parse(doc)
		if err != nil {
			return
		}
		score, hits := checkScore(t, m, Input{r, f}, &scratch)
		for _, h := range hits {
			tallies[h.Signal].note(isOther, doc, strconv.Itoa(h.Points)+h.Path)
		}
		tallies[signalCount].note(isOther, doc, strconv.Itoa(score))
		if !isOther {
			scores[score]++
		}
	}
	zero, full := mustNew(t, Config{}), mustNew(t, fullConfig())
	docs := corpus(t)
	for _, doc := range docs {
		score(false, zero, doc, nil)
	}
	for _, s := range samples() {
		config, f := (&cases{with: s.with}).input()
		score(true, mustNew(t, config), []byte(s.doc), f)
		score(true, full, encoded(merged(decoded(rich), decoded(s.doc))), fullFacts())
	}
	mix := newMixer(3)
	for range damages {
		score(true, full, damaged(mix, docs[mix.below(len(docs))]), fullFacts())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%8s %8s  %-16s  %s\n", "corpus", "others", "hash", "signal")
	for n := range tallies {
		name := "the score"
		if n < int(signalCount) {
			name = signals[n].ID
		}
		fmt.Fprintf(&b, "%8d %8d  %016x  %s\n", tallies[n].corpus, tallies[n].others, tallies[n].hash, name)
		if tallies[n].others == 0 {
			t.Errorf("no request has %s", name)
		}
	}
	for s, n := range scores {
		if n > 0 {
			fmt.Fprintf(&b, "%8d requests of the corpus have the score %d\n", n, s)
		}
	}
	const path = "testdata/scores.golden"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		was := strings.Split(string(want), "\n")
		for line := range strings.SplitSeq(got, "\n") {
			if !slices.Contains(was, line) {
				t.Errorf("not in %s: %s", path, line)
			}
		}
		t.Errorf("%s has other lines; if the change is meant, run the test with -update and read the difference", path)
	}
}

// damaged returns a copy of a document in which a few values are different.
func damaged(mix *mixer, doc []byte) []byte {
	values := []string{`"10.0.0.1"`, `"8.8.8.8"`, `"x"`, `""`, `"0000"`, `0`, `1`, `-1`, `600`, `null`, `[]`, `{}`, `"example.com"`, `"https://example.com/"`, `"com.example"`, `"ios"`}
	out := slices.Clone(doc)
	for range 1 + mix.below(4) {
		at := mix.below(len(out))
		colon := bytes.IndexByte(out[at:], ':')
		if colon < 0 {
			continue
		}
		from := at + colon + 1
		if size := bytes.IndexAny(out[from:], ",}]"); size >= 0 {
			out = slices.Replace(out, from, from+size, []byte(values[mix.below(len(values))])...)
		}
	}
	return out
}

// fullConfig is a configuration with everything, and low limits.
func fullConfig() Config {
	return Config{
		Direct: true, Systems: []string{"exchange.example", "a.example"},
		Limits: Limits{IFA: 5, Address: 7, Nodes: 2, Imps: 2, Floor: 10, TMaxMin: 100, TMaxMax: 1000},
		Data: Data{
			DataCenters: addresses("8.8.8.0/24", "2600:1f00::/24"), Proxies: addresses("8.8.0.0/16", "1.1.1.1"),
			BlockedNodes: nodes(lists.Domain, "b.example", "bad.example"), USD: usdRates{"EUR": 1.25, "JPY": 1. / 128},
		},
		Weights: map[string]int{"vendor.score": 31, "inventory.store": 77, "privacy.flags": 1},
	}
}

// fullFacts are facts that most signals about facts see something in.
func fullFacts() *rule.Facts {
	f := &rule.Facts{Seen: true, Counts: rule.Counts{IFA: 6, Address: 7}, Vendor: []rule.VendorAnswer{{Score: 33}, {Err: true}}}
	direct("8.8.4.4")(new(Config), f)
	return f
}
