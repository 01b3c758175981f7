package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestDifferential compares the decoder with encoding/json and with the oracle on random documents.
// A short run is part of the tests. "make verify STEPS=differential" does a long one, with these
// variables; DOCUMENTS=100000000 in front of it makes it longer:
//
//	RTBWIRE_DIFFERENTIAL      the number of documents
//	RTBWIRE_DIFFERENTIAL_LOG  a file that lists finished shards, so that an interrupted run can
//	                          continue
//	RTBWIRE_SEED              another seed makes another set of documents
//
// Documents come in shards, each with its own random numbers. So a shard can be repeated alone, by
// any process.
func TestDifferential(t *testing.T) {
	d := &differential{seed: testkit.Seed(t), total: map[string]int{}}
	for _, doc := range testkit.Documents(t) {
		kind := 0
		if doc.Response {
			kind = 1
		}
		d.docs[kind] = append(d.docs[kind], doc.Text)
		if len(doc.Text) <= smallDocument {
			d.small[kind] = append(d.small[kind], doc.Text)
		}
	}
	shards, documents := 12, testkit.Scale(t, 170, 1000, 10_000)
	if n := testkit.Number(t, "RTBWIRE_DIFFERENTIAL", 0); n > 0 {
		d.long = true
		shards, documents = (n+shardDocuments-1)/shardDocuments, shardDocuments
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

// differential is a run.
type differential struct {
	docs, small [2][][]byte // what documents are made from: requests, responses
	seed        uint64
	long        bool

	mu    sync.Mutex
	total map[string]int
	done  int
	log   *os.File // nil: no log
}

// shard is a line of the log: the documents of one shard by class.
type shard struct {
	Seed      uint64         `json:"seed"`
	Shard     int            `json:"shard"`
	Documents int            `json:"documents"`
	Classes   map[string]int `json:"classes"`
}

// shardDocuments is the number of documents in a shard of a long run.
const shardDocuments = 100_000

// smallDocument is the length limit for most of the documents that a long run starts from, because
// encoding/json takes most of the time.
const smallDocument = 330

// oracleEvery: in a long run the oracle decodes every document that encoding/json reads
// differently, and one in oracleEvery of the others.
const oracleEvery = 16

// shard decodes the documents of a shard and reports whether there was no difference. Each document
// is decoded in one of the ways, chosen at random. Default mode is compared with encoding/json. All
// modes are compared with the oracle; see oracleEvery.
func (d *differential) shard(t *testing.T, s *shard) (ok bool) {
	r := rand.New(rand.NewPCG(s.Seed, uint64(s.Shard)))
	makers := map[bool][2]*mutator{
		false: {{r, d.docs[0]}, {r, d.docs[1]}},
		true:  {{r, d.small[0]}, {r, d.small[1]}},
	}
	var lists [3][2][]*entry // by mode and type
	for _, e := range entries() {
		lists[e.mode][e.kind()] = append(lists[e.mode][e.kind()], e)
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

		e := one(lists[oracle.Default][kind])
		e.decode(data, func(got oracle.Outcome) {
			class, unexplained := judge(data, e.zero(), got)
			complain(e, unexplained)
			s.Classes[class]++
			if !d.long || i%oracleEvery == 0 || class != sameValue && class != bothRefuse {
				complain(e, got.Diff(expect(e, data, oracle.Options{})))
			}
		})
		if !d.long || i%oracleEvery == 0 {
			for _, mode := range []oracle.Mode{oracle.Strict, oracle.Lenient} {
				e := one(lists[mode][kind])
				complain(e, e.differs(data, expect(e, data, oracle.Options{})))
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

// add adds the classes of a finished shard.
func (d *differential) add(s shard) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for class, n := range s.Classes {
		d.total[class] += n
	}
	d.done += s.Documents
}
