package openrtb_test

import (
	"bytes"
	"errors"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// poolWays are the ways in which a pool decodes requests. Each returns a value that is valid until
// done.
func poolWays(p *openrtb.Pool) map[string]func([]byte) (v *openrtb.BidRequest, done func(), err error) {
	type way = func([]byte) (*openrtb.BidRequest, func(), error)
	of := func(parse func([]byte) (*openrtb.BidRequest, error), done func(*openrtb.BidRequest)) way {
		return func(data []byte) (*openrtb.BidRequest, func(), error) {
			v, err := parse(data)
			return v, func() { done(v) }, err
		}
	}
	nothing := func(*openrtb.BidRequest) {}
	return map[string]way{
		"Parse":          of(p.Parse, nothing),
		"ParseFast":      of(p.ParseFast, nothing),
		"ParseFastArena": of(p.ParseFastArena, (*openrtb.BidRequest).Release),
		"ParseReader": of(func(data []byte) (*openrtb.BidRequest, error) {
			return p.ParseReader(bytes.NewReader(data))
		}, nothing),
		"ParseSaved": of(func(data []byte) (*openrtb.BidRequest, error) {
			v, _, err := p.ParseSaved(data)
			return v, err
		}, nothing),
		"Get": func(data []byte) (*openrtb.BidRequest, func(), error) {
			d := p.Get()
			v, err := d.Decode(data)
			return v, func() { p.Put(d) }, err
		},
	}
}

// TestPoolOptions decodes with pools of several options, in turns: each keeps its own.
func TestPoolOptions(t *testing.T) {
	pools := map[string]*openrtb.Pool{
		"zero": new(openrtb.Pool), "default": openrtb.NewPool(), "strict": openrtb.NewPool(wire.Strict()),
		"lenient": openrtb.NewPool(wire.Lenient()), "small": openrtb.NewPool(wire.Lenient(), wire.MaxSize(20)),
		"later wins": openrtb.NewPool(wire.Lenient(), wire.Strict()),
	}
	cases := []struct {
		text string
		want map[string]wire.Code // 0 where it is not listed: accepted
	}{
		{`{"id":"1"}`, nil},
		{`{"id":"1","id":"2"}`, map[string]wire.Code{"strict": wire.CodeDuplicate, "later wins": wire.CodeDuplicate}},
		{`{"tmax":"120"}`, map[string]wire.Code{"zero": wire.CodeType, "default": wire.CodeType, "strict": wire.CodeType, "later wins": wire.CodeType}},
		{`{"id":"12345678901234"}`, map[string]wire.Code{"small": wire.CodeSize}},
	}
	for range 3 {
		for name, p := range pools {
			for _, c := range cases {
				for how, parse := range poolWays(p) {
					v, done, err := parse([]byte(c.text))
					if want := c.want[name]; want == 0 && err != nil || want != 0 && !errors.Is(err, want) || (v == nil) != (err != nil) {
						t.Errorf("%s, %s: %s: %v, want %v", name, how, c.text, err, want)
					}
					done()
				}
			}
		}
		// The functions decode with the default options all the while.
		for name, parse := range map[string]func([]byte) (*openrtb.BidRequest, error){
			"Parse": openrtb.Parse, "ParseFast": openrtb.ParseFast, "ParseFastArena": openrtb.ParseFastArena,
		} {
			if v, err := parse([]byte(`{"tmax":"120"}`)); !errors.Is(err, wire.CodeType) {
				t.Errorf("%s: %+v, %v", name, v, err)
			}
		}
	}
}

// TestPoolSaved compares the two ways to get the repairs, and checks that they stay.
func TestPoolSaved(t *testing.T) {
	p := openrtb.NewPool(wire.Lenient())
	data := []byte(`{"id":7,"imp":[{"id":"1","secure":true}]}`)
	want := []wire.Saved{{Code: wire.CodeType, Offset: 6, Path: "/id"}, {Code: wire.CodeType, Offset: 34, Path: "/imp/0/secure"}}
	v, saved, err := p.ParseSaved(data)
	if err != nil || v.ID != "7" || !slices.Equal(saved, want) {
		t.Fatalf("%+v, %v, %v", v, saved, err)
	}
	d := p.Get()
	defer p.Put(d)
	if _, err := d.Decode(data); err != nil || !slices.Equal(d.Saved(), want) {
		t.Errorf("%v, %v", d.Saved(), err)
	}
	clear(data)
	for range 10 {
		if _, other, err := p.ParseSaved([]byte(`{"tmax":"1"}`)); err != nil || len(other) != 1 {
			t.Fatalf("%v, %v", other, err)
		}
	}
	if !slices.Equal(saved, want) || v.Imp[0].ID != "1" {
		t.Errorf("later documents have changed the result: %v, %+v", saved, v)
	}
	if v, saved, err := p.ParseSaved([]byte(`{"id":7,"at":{}}`)); v != nil || !errors.Is(err, wire.CodeType) || !slices.Equal(saved, want[:1]) {
		t.Errorf("refused: %v, %v, %v", v, saved, err)
	}
	if _, saved, err := p.ParseSaved([]byte(`{}`)); saved != nil || err != nil {
		t.Errorf("nothing to repair: %v, %v", saved, err)
	}
}

// TestPoolPut gives back what was not lent.
func TestPoolPut(t *testing.T) {
	p, other := openrtb.NewPool(wire.Lenient()), openrtb.NewPool()
	refuses := func(what string, p *openrtb.Pool, d *openrtb.Decoder) {
		t.Helper()
		if got := testkit.PanicOf(func() { p.Put(d) }); !strings.Contains(got, "not lent") {
			t.Errorf("putting a decoder %s: panic %q", what, got)
		}
	}
	refuses("of NewDecoder", p, openrtb.NewDecoder())
	refuses("that is zero", p, new(openrtb.Decoder))
	d := p.Get()
	refuses("into another pool", other, d)
	copied := reflect.New(reflect.TypeOf(d).Elem())
	copied.Elem().Set(reflect.ValueOf(d).Elem()) // what go vet finds in an assignment
	refuses("that is a copy", p, copied.Interface().(*openrtb.Decoder))
	p.Put(d)
	refuses("twice", p, d)
	p.Put(nil)
	a, b := p.Get(), p.Get()
	if a == b {
		t.Error("one decoder is lent twice at once")
	}
	if _, err := a.Decode([]byte(`{"tmax":"5"}`)); err != nil {
		t.Error(err)
	}
	p.Put(a)
	if saved := a.Saved(); len(saved) != 0 {
		t.Errorf("an idle decoder lists %v", saved)
	}
	p.Put(b)
	r := openrtb.NewResponsePool()
	e := r.Get()
	r.Put(e)
	if got := testkit.PanicOf(func() { r.Put(e) }); !strings.Contains(got, "not lent") {
		t.Errorf("putting a decoder of responses twice: panic %q", got)
	}
}

// TestPoolsOfManyGoroutines decodes tagged documents of all sizes in every way at once, and lets
// other goroutines end what they return. Run it with -race.
func TestPoolsOfManyGoroutines(t *testing.T) {
	strict, lenient := openrtb.NewPool(wire.Strict()), openrtb.NewPool(wire.Lenient(), wire.MaxSize(1<<20))
	responses := openrtb.NewResponsePool(wire.Lenient())
	rounds := testkit.Scale(t, 20, 50, 500)
	ends := make(chan func(), 16)
	var workers, enders sync.WaitGroup
	for range 4 {
		enders.Go(func() {
			for end := range ends {
				end()
			}
		})
	}
	for g := range 16 {
		workers.Go(func() {
			r := testkit.Rand(uint64(g))
			for round := range rounds {
				tag, imps := 100_000*(g+1)+round, r.IntN(8)
				data := testkit.TaggedRequest(tag, imps)
				p := []*openrtb.Pool{strict, lenient}[r.IntN(2)]
				for how, parse := range poolWays(p) {
					v, done, err := parse(data)
					if err != nil {
						t.Errorf("%s: %v", how, err)
						return
					}
					runtime.Gosched()
					if s := testkit.CheckTagged(v, tag, testkit.TaggedLeaves(imps)); s != "" {
						t.Errorf("goroutine %d, round %d, %s: %s", g, round, how, s)
						return
					}
					if r.IntN(2) == 0 {
						ends <- done
					} else {
						done()
					}
				}
				if v, err := strict.ParseFastArena(data[:r.IntN(len(data)-1)]); err == nil {
					t.Errorf("accepted a document that was cut off: %s", v.ID)
				}
				w, err := responses.ParseFastArena(testkit.TaggedResponse(tag, imps))
				if err != nil {
					t.Error(err)
					return
				}
				if s := testkit.CheckTagged(w, tag, -1); s != "" {
					t.Errorf("goroutine %d, round %d, a response: %s", g, round, s)
				}
				ends <- w.Release
			}
		})
	}
	workers.Wait()
	close(ends)
	enders.Wait()
}

// TestPoolAllocatesNothing decodes the corpus in a warm pool.
func TestPoolAllocatesNothing(t *testing.T) {
	if testkit.Race || !mem.ZeroCopy || testkit.Poisoned {
		t.Skip("this build copies strings or does not reuse memory")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	p, responses := openrtb.NewPool(wire.MaxSize(1<<20)), openrtb.NewResponsePool()
	for name, c := range map[string]struct {
		docs   [][]byte
		decode func([]byte)
	}{
		"ParseFastArena": {testkit.Requests(t), func(data []byte) {
			if v, err := p.ParseFastArena(data); err == nil {
				v.Release()
			}
		}},
		"Get and Put": {testkit.Requests(t), func(data []byte) {
			d := p.Get()
			_, _ = d.Decode(data)
			p.Put(d)
		}},
		"responses": {testkit.Responses(t), func(data []byte) {
			if v, err := responses.ParseFastArena(data); err == nil {
				v.Release()
			}
		}},
	} {
		docs := slices.DeleteFunc(slices.Clone(c.docs), func(data []byte) bool { // errors are allocated
			_, request := p.ParseFast(data)
			_, response := openrtb.ParseResponseFast(data)
			return name == "responses" && response != nil || name != "responses" && request != nil
		})
		for range 2 { // warm
			for _, data := range docs {
				c.decode(data)
			}
		}
		if n := testkit.Allocs(func() {
			for _, data := range docs {
				c.decode(data)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations for %d documents", name, n, len(docs))
		}
	}
}

// TestPoolsAreCollected drops pools with idle memory: neither they nor their arenas stay.
func TestPoolsAreCollected(t *testing.T) {
	var pools []weak.Pointer[openrtb.Pool]
	var roots []weak.Pointer[openrtb.BidRequest]
	for i := range 20 {
		p := openrtb.NewPool()
		v, err := p.ParseFastArena(testkit.TaggedRequest(i, 2))
		if err != nil {
			t.Fatal(err)
		}
		pools, roots = append(pools, weak.Make(p)), append(roots, weak.Make(v))
		p.Put(p.Get())
		if i%2 == 0 {
			v.Release()
		}
	}
	for range 10 { // the pools and the finalizers take some turns
		runtime.GC()
	}
	for i := range pools {
		if pools[i].Value() != nil || roots[i].Value() != nil {
			t.Fatalf("pool %d is alive: %v, its arena: %v", i, pools[i].Value() != nil, roots[i].Value() != nil)
		}
	}
}

// TestReleaseMethods has what is special of the methods: values of pools, nil, and no trace of them
// for other libraries.
func TestReleaseMethods(t *testing.T) {
	p, responses := openrtb.NewPool(wire.Strict()), openrtb.NewResponsePool()
	requests, answers := requestAPI, responseAPI
	requests.parse, requests.release = p.ParseFastArena, (*openrtb.BidRequest).Release
	answers.parse, answers.release = responses.ParseFastArena, (*openrtb.BidResponse).Release
	testReleaseMisuse(t, requests)
	testReleaseMisuse(t, answers)
	testLateDoubleRelease(t, requests)
	testLateDoubleRelease(t, answers)

	// Values of the functions and of pools are released by either.
	for _, parse := range []func([]byte) (*openrtb.BidRequest, error){openrtb.ParseFastArena, p.ParseFastArena} {
		for _, release := range []func(*openrtb.BidRequest){openrtb.ReleaseArena, (*openrtb.BidRequest).Release} {
			v, err := parse([]byte(`{"id":"1"}`))
			if err != nil {
				t.Fatal(err)
			}
			release(v)
		}
	}
	for _, v := range []any{openrtb.BidRequest{}, openrtb.BidResponse{}} {
		for f := range reflect.TypeOf(v).Fields() {
			if !f.IsExported() {
				t.Errorf("%T has the field %s, which reflection sees", v, f.Name)
			}
		}
	}
}
