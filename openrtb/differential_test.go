package openrtb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/wire"
)

// This file compares the decoder with encoding/json and with the contract's twin on documents made at random.
//
// A short run is part of the tests. scripts/differential.sh does a long one, by way of these variables:
//
//	RTBWIRE_DIFFERENTIAL      how many documents
//	RTBWIRE_DIFFERENTIAL_LOG  a file that remembers the shards which are done, so that a run goes on where it was ended
//	RTBWIRE_SEED              another seed is another set of documents
//
// Documents come in shards, each with random numbers of its own: a shard can be repeated alone, and any process can do it.

// shardDocuments is how many documents a shard of a long run has.
const shardDocuments = 100_000

// shard is a line of the log: the documents of one shard by class.
type shard struct {
	Seed      uint64         `json:"seed"`
	Shard     int            `json:"shard"`
	Documents int            `json:"documents"`
	Classes   map[string]int `json:"classes"`
}

// differential is a run.
type differential struct {
	docs, small real
	seed        uint64
	long        bool

	mu    sync.Mutex
	total map[string]int
	done  int
	log   *os.File // nil is none
}

// TestDifferential decodes documents made at random, most of them by small changes to real ones.
func TestDifferential(t *testing.T) {
	number := func(variable string, otherwise uint64) uint64 {
		s := os.Getenv(variable)
		if s == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(s, 10, 63)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		return n
	}
	d := &differential{docs: realDocuments(t), seed: number("RTBWIRE_SEED", 1), total: map[string]int{}}
	for _, doc := range d.docs.requests {
		if len(doc) <= smallDocument {
			d.small.requests = append(d.small.requests, doc)
		}
	}
	for _, doc := range d.docs.responses {
		if len(doc) <= smallDocument {
			d.small.responses = append(d.small.responses, doc)
		}
	}
	shards, documents := 12, 1000
	if testing.Short() {
		documents = 170
	}
	if n := number("RTBWIRE_DIFFERENTIAL", 0); n > 0 {
		d.long = true
		shards, documents = int((n+shardDocuments-1)/shardDocuments), shardDocuments
	}
	d.run(t, d.remaining(t, shards), documents)
	for _, class := range slices.Sorted(maps.Keys(d.total)) {
		t.Logf("%11d %s", d.total[class], class)
		for _, reason := range reasons(class) {
			t.Logf("%11s   %s", "", reason)
		}
	}
	t.Logf("%11d documents", d.done)
}

// smallDocument is how long most of the documents are that a long run starts from: its time goes into encoding/json.
const smallDocument = 330

// remaining opens the log, adds up what it has, and returns the numbers of the shards that are to be done.
func (d *differential) remaining(t *testing.T, shards int) (list []int) {
	known := map[int]bool{}
	if name := os.Getenv("RTBWIRE_DIFFERENTIAL_LOG"); name != "" && d.long {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var s shard
			// A line that was cut off when the run was ended is of a shard that is to be done again.
			if json.Unmarshal(line, &s) == nil && s.Seed == d.seed && s.Shard < shards && s.Documents == shardDocuments && !known[s.Shard] {
				known[s.Shard] = true
				d.add(s)
			}
		}
		if d.log, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := d.log.Close(); err != nil {
				t.Error(err)
			}
		})
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			if _, err := d.log.WriteString("\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range shards {
		if !known[n] {
			list = append(list, n)
		}
	}
	return list
}

func (d *differential) add(s shard) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for class, n := range s.Classes {
		d.total[class] += n
	}
	d.done += s.Documents
}

// run does shards, as many at a time as there are processors.
func (d *differential) run(t *testing.T, shards []int, documents int) {
	// The kernels are switched between rounds, because the switch is one for all goroutines.
	levels := jsonindex.Levels()
	workers := min(runtime.GOMAXPROCS(0), max(len(shards)/len(levels), 1))
	start, before, round := time.Now(), d.done, 0
	all := d.done + len(shards)*documents
	for some := range slices.Chunk(shards, workers) {
		undo := setLevel(levels[len(levels)-1-round%len(levels)])
		round++
		var wg sync.WaitGroup
		for _, n := range some {
			wg.Go(func() {
				s := shard{Seed: d.seed, Shard: n, Documents: documents, Classes: map[string]int{}}
				if !d.shard(t, &s) {
					return
				}
				d.add(s)
				if d.log != nil {
					line, err := json.Marshal(s)
					if err == nil {
						_, err = d.log.Write(append(line, '\n'))
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		undo()
		if t.Failed() {
			return
		}
		if d.long {
			perSecond := float64(d.done-before) / time.Since(start).Seconds()
			left := time.Duration(float64(all-d.done) / perSecond * float64(time.Second))
			fmt.Fprintf(os.Stderr, "%d of %d documents, %.0f a second, %v left\n", d.done, all, perSecond, left.Round(time.Second))
		}
	}
}

// twinEvery is which of the documents of a long run the twin decodes as well, if there is no difference.
const twinEvery = 16

// shard decodes the documents of a shard, each by one way in, which changes, and reports whether all is well.
//
//   - Default mode is compared with encoding/json.
//   - All of it is compared with the twin, the other modes too; in a long run that is done where encoding/json has
//     another opinion, and for some of the rest.
func (d *differential) shard(t *testing.T, s *shard) (ok bool) {
	r := rand.New(rand.NewPCG(s.Seed, uint64(s.Shard)))
	makers := map[bool][2]*mutator{
		false: {{r, d.docs.requests}, {r, d.docs.responses}},
		true:  {{r, d.small.requests}, {r, d.small.responses}},
	}
	var lists [3][2][]*entry // by mode and type
	for _, e := range entries() {
		kind := kindOf(e)
		lists[e.mode][kind] = append(lists[e.mode][kind], e)
	}
	one := func(list []*entry) *entry { return list[r.IntN(len(list))] }
	var before []byte
	for i := range s.Documents {
		kind := r.IntN(2)
		data := makers[d.long && i%16 != 0][kind].next()
		before = append(before[:0], data...)
		problem := ""
		complain := func(e *entry, text string) {
			if text != "" && problem == "" {
				problem = fmt.Sprintf("seed %d, shard %d, document %d: %s of %q: %s", s.Seed, s.Shard, i, e.name, before, text)
			}
		}

		e := one(lists[twin.Default][kind])
		e.decode(data, func(v any, saved []wire.Saved, err error) {
			if err != nil {
				v = e.zero()
			}
			refused, _ := err.(*wire.Error) //nolint:errorlint // the decoder returns nothing else
			class, unexplained := judge(data, v, refused)
			complain(e, unexplained)
			s.Classes[class]++
			if !d.long || i%twinEvery == 0 || class != sameValue && class != bothRefuse {
				x := expect(e, data, twin.Options{})
				complain(e, x.check(v, saved, err))
			}
		})
		if !d.long || i%twinEvery == 0 {
			for _, mode := range []twin.Mode{twin.Strict, twin.Lenient} {
				e := one(lists[mode][kind])
				x := expect(e, data, twin.Options{})
				e.decode(data, func(v any, saved []wire.Saved, err error) { complain(e, x.check(v, saved, err)) })
			}
		}
		if !bytes.Equal(data, before) {
			complain(e, "the text was changed")
		}
		if problem != "" {
			t.Error(problem)
			return false
		}
	}
	return true
}

// kindOf is 0 for a way to decode requests, 1 for one to decode responses.
func kindOf(e *entry) int {
	if e.response {
		return 1
	}
	return 0
}
