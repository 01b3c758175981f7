package openrtb_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/wire"
)

// This file compares the decoder with encoding/json and with the contract's twin on documents made at random.
//
// A short run is part of the tests. For a long one, set the number of documents:
//
//	RTBWIRE_DIFFERENTIAL=100000000 go test ./openrtb -run TestDifferential -timeout 0 -v

// differences counts how encoding/json and the decoder agreed, by class. Every class but the first two is a difference
// that the contract asks for, and each document in it was shown to belong there.
type differences map[string]int

const (
	sameValue    = "both accept, same value"
	bothRefuse   = "both refuse"
	otherMembers = "keys by case, keys twice, or ext of null: the same value without them"
	jsonCase     = "only the decoder accepts: encoding/json reads a key of another case; the same value without it"
	notUTF8      = "only encoding/json accepts: bytes that are not UTF-8"
	surrogate    = "only encoding/json accepts: half a surrogate pair"
	nullDocument = "only encoding/json accepts: the document null"
	tooDeep      = "only encoding/json accepts: nested too deep"
	tooLarge     = "only encoding/json accepts: too much memory"
)

// againstJSON compares default mode with encoding/json. fault and value are what the decoder said, v is the value. It
// returns the class, or how the two differ without a reason.
func againstJSON(data []byte, v any, err *wire.Error) (class, unexplained string) {
	t := reflect.TypeOf(v).Elem()
	plain := reflect.New(t).Interface()
	jsonErr := json.Unmarshal(data, plain)
	if err == nil {
		if jsonErr == nil && twin.Diff(v, plain) == "" {
			return sameValue, ""
		}
		class = otherMembers
		if jsonErr != nil {
			class = jsonCase
		}
		text := twin.Canonical(data, t)
		plain = reflect.New(t).Interface()
		if jsonErr := json.Unmarshal(text, plain); jsonErr != nil {
			return "", fmt.Sprintf("accepted, encoding/json says %v of %s", jsonErr, text)
		}
		return class, twin.Diff(v, plain)
	}
	if jsonErr != nil {
		return bothRefuse, ""
	}
	switch {
	case err.Code == wire.CodeUTF8 && !utf8.Valid(data):
		return notUTF8, ""
	case err.Code == wire.CodeSurrogate:
		return surrogate, "" // the twin has found it too
	case err.Code == wire.CodeType && err.Path == "" && string(data[err.Offset:err.Offset+4]) == "null":
		return nullDocument, ""
	case err.Code == wire.CodeDepth:
		return tooDeep, ""
	case err.Code == wire.CodeMemory:
		return tooLarge, ""
	}
	return "", fmt.Sprintf("refused (%s at %d), encoding/json accepts", err.Code.String(), err.Offset)
}

// TestDifferential decodes documents made at random, most of them by small changes to real ones.
func TestDifferential(t *testing.T) {
	count := 12_000
	if testing.Short() {
		count = 2000
	}
	if long := os.Getenv("RTBWIRE_DIFFERENTIAL"); long != "" {
		var err error
		if count, err = strconv.Atoi(long); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(1)
	if s := os.Getenv("RTBWIRE_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	docs := realDocuments(t)
	total := differences{}
	done := 0
	// The kernels are switched between rounds, because the switch is one for all goroutines.
	levels := jsonindex.Levels()
	rounds := max(len(levels), count/1_000_000)
	start, logged := time.Now(), time.Now()
	for round := range rounds {
		undo := setLevel(levels[len(levels)-1-round%len(levels)])
		var wg sync.WaitGroup
		var mu sync.Mutex
		workers := runtime.GOMAXPROCS(0)
		for worker := range workers {
			wg.Go(func() {
				d := newDifferential(docs, seed, uint64(round*workers+worker))
				found := d.run(t, count/rounds/workers)
				mu.Lock()
				defer mu.Unlock()
				for class, n := range found {
					total[class] += n
					done += n
				}
			})
		}
		wg.Wait()
		undo()
		if t.Failed() {
			return
		}
		if time.Since(logged) > time.Minute {
			logged = time.Now()
			fmt.Fprintf(os.Stderr, "%d documents, %v\n", done, time.Since(start).Round(time.Second))
		}
	}
	for _, class := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%9d %s", total[class], class)
	}
}

// differential is one goroutine's part of a run.
type differential struct {
	r                   *rand.Rand
	requests, responses mutator
	entries             []*entry
}

func newDifferential(docs real, seed, part uint64) *differential {
	r := rand.New(rand.NewPCG(seed, part))
	return &differential{
		r:        r,
		requests: mutator{r, docs.requests}, responses: mutator{r, docs.responses},
		entries: entries(),
	}
}

// run decodes so many documents, each by one way in, which changes.
func (d *differential) run(t *testing.T, count int) differences {
	found := differences{}
	for range count {
		e := d.entries[d.r.IntN(len(d.entries))]
		m := &d.requests
		if e.response {
			m = &d.responses
		}
		data := m.next()
		x := expect(e, data, twin.Options{})
		before := string(data)
		e.decode(data, func(v any, saved []wire.Saved, err error) {
			if s := x.check(v, saved, err); s != "" {
				t.Errorf("%s of %q: %s", e.name, data, s)
				return
			}
			if e.mode != twin.Default {
				found["twin, "+e.mode.String()]++
				return
			}
			if err != nil {
				v = e.zero()
			}
			refused, _ := err.(*wire.Error) //nolint:errorlint // x.check has seen that it is one
			class, unexplained := againstJSON(data, v, refused)
			if unexplained != "" {
				t.Errorf("%s of %q: %s", e.name, data, unexplained)
			}
			found[class]++
		})
		if string(data) != before {
			t.Errorf("%s of %q changed the text", e.name, before)
		}
		if t.Failed() {
			break
		}
	}
	return found
}
