package window

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

func TestDivide(t *testing.T) {
	const least = 10
	for _, c := range []struct {
		capacity    int
		needs, want []int
	}{
		{100, []int{EntriesMax}, []int{100}},
		{100, []int{EntriesMax, EntriesMax}, []int{50, 50}},
		{100, []int{20, EntriesMax}, []int{20, 80}},
		{100, []int{EntriesMax, 20, 30, EntriesMax}, []int{27, 20, 26, 27}},
		{100, []int{200, 200, EntriesMax}, []int{33, 33, 34}},
		{100, []int{3, EntriesMax}, []int{least, 97}}, // the floor, of what needs less too
		{20, []int{EntriesMax, EntriesMax, EntriesMax}, []int{least, least, least}},
		{5, []int{EntriesMax, EntriesMax}, []int{5, 5}}, // not more than all there is
	} {
		got := make([]int, len(c.needs))
		divideOne(c.capacity, least, len(c.needs), func(i int) int { return c.needs[i] }, func(i, n int) { got[i] = n })
		if !slices.Equal(got, c.want) {
			t.Errorf("%d among %v: %v, want %v", c.capacity, c.needs, got, c.want)
		}
	}
}

// TestDivideAnything: whatever partners need, nobody is given less than another one that needs no
// more, and no more is given away than there is, besides the floor.
func TestDivideAnything(t *testing.T) {
	random := testkit.Rand(testkit.Seed(t))
	for range testkit.Scale(t, 500, 5000, 100_000) {
		n := 1 + random.IntN(20)
		capacity, least := 1+random.IntN(100_000), 1+random.IntN(1000)
		needs, got := make([]int, n), make([]int, n)
		for i := range needs {
			needs[i] = 1 + random.IntN(2*capacity)
		}
		divideOne(capacity, least, n, func(i int) int { return needs[i] }, func(i, n int) { got[i] = n })
		sum, floor := 0, min(least, capacity)
		for i := range got {
			if sum += got[i]; got[i] > max(needs[i], floor) || got[i] < floor || got[i] < min(needs[i], capacity/n) {
				t.Fatalf("%d, at least %d, among %v: %v", capacity, least, needs, got)
			}
			for j := range got {
				if needs[i] <= needs[j] && got[i] > got[j]+1 {
					t.Fatalf("%d, at least %d, among %v: %v", capacity, least, needs, got)
				}
			}
		}
		if sum > capacity+n*floor {
			t.Fatalf("%d, at least %d, among %v: %v, %d together", capacity, least, needs, got, sum)
		}
	}
}

func TestReaches(t *testing.T) {
	for _, c := range []struct {
		partner Partner
		want    Reach
	}{
		{Partner{}, Reach{IDs: IDsDefault / 2}},
		{Partner{Rate: 100}, Reach{IDs: 60_000, Time: IDWindowDefault}},
		{Partner{Rate: 1}, Reach{IDs: IDsMin, Time: IDWindowDefault}},
		{Partner{Limits: Limits{IDs: 1_048_576}, Rate: 20_000}, Reach{IDs: 1_048_576, Time: 52_428_800_000, Short: true, Need: 12_000_000}},
		{Partner{Limits: Limits{IDs: 12_000_000}, Rate: 20_000}, Reach{IDs: 12_000_000, Time: IDWindowDefault}},
		{Partner{Limits: Limits{IDs: 11_999_999}, Rate: 20_000}, Reach{IDs: 11_999_999, Time: 599_999_950_000, Short: true, Need: 12_000_000}},
		{Partner{Limits: Limits{IDs: 1_000_000}, Rate: 100_000_000}, Reach{IDs: 1_000_000, Time: 10 * time.Millisecond, Short: true, Need: EntriesMax}},
	} {
		c.want.Partner, c.want.Rate, c.want.Window = "a", c.partner.Rate, IDWindowDefault
		if c.want.Short {
			c.want.Bytes = tableBytes(c.want.Need, idWays)
		}
		got, err := Options{Partners: map[string]Partner{"a": c.partner}}.Reaches()
		if err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%+v: %+v, %v, want %+v", c.partner, got, err, c.want)
		}
	}
	if n := requestsIn(math.MaxInt, IDWindowMax); strconv.IntSize == 64 && n != math.MaxUint64 {
		t.Errorf("%d requests", n)
	}
	if _, err := (Options{IPv6Bits: -1}).Reaches(); err == nil {
		t.Error("options that are refused have reaches")
	}
}

// TestReachIsKept holds Reaches to what windows do: at its rate, a partner's id is known for as
// long as it says, and not for three times as long. The oldest are forgotten first.
func TestReachIsKept(t *testing.T) {
	const rate = 100
	o := Options{EventTime: true, Shared: Limits{IFAs: 1, Addresses: 1, IDs: 2 * IDsMin}, Partners: map[string]Partner{"a": {Rate: rate}}}
	reaches, err := o.Reaches()
	if err != nil || !reaches[0].Short {
		t.Fatalf("%+v, %v", reaches, err)
	}
	w := open(t, o)
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second / rate) }
	n := 0
	send := func() {
		w.Observe("a", request(fmt.Sprint(n), "", ""), at(n), Delivery{})
		n++
	}
	for n < 5*reaches[0].IDs {
		send()
	}
	known := func(age time.Duration, of int) (seen int) {
		from := n - int(age.Seconds()*rate)
		for i := range of {
			r := request(fmt.Sprint(from+i), "", "")
			k := w.keys(r, Delivery{}, 0)
			_, a, b := w.partners["a"].ids.place(k.id)
			if e := newIDEntry(k.id, 0, 0); a.find(e) >= 0 || b.find(e) >= 0 {
				seen++
			}
		}
		return seen
	}
	const of = 500
	if got := known(reaches[0].Time, of); got < of*9/10 {
		t.Errorf("%d of %d ids are known after %v", got, of, reaches[0].Time)
	}
	if got := known(3*reaches[0].Time, of); got > of/10 {
		t.Errorf("%d of %d ids are known after %v", got, of, 3*reaches[0].Time)
	}
}

func TestOnly(t *testing.T) {
	own := Limits{IFAs: 5, Addresses: 6, IDs: 7}
	o := Options{Partners: map[string]Partner{"own": {Limits: own, Rate: 3}, "share": {}, "slow": {Rate: 50}}}
	for name, want := range map[string]capacities{
		"":      {map[string]Limits{}, Limits{IFAsDefault, AddressesDefault, IDsDefault}},
		"own":   {map[string]Limits{"own": own}, Limits{1, 1, 1}},
		"share": {map[string]Limits{"share": {IFAsDefault, AddressesDefault, IDsDefault}}, Limits{1, 1, 1}},
		"slow":  {map[string]Limits{"slow": {3000, 3000, 30_000}}, Limits{1, 1, 1}},
	} {
		only, err := o.Only(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := only.capacities(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
	if _, err := (Options{IPv6Bits: -1}).Only(""); err == nil {
		t.Error("options that are refused are changed")
	}
}

// sender is a partner, or somebody unknown, that sends requests within the capacity of its tables,
// and what exact windows would answer it.
type sender struct {
	name string
	m    *model
	at   time.Duration
}

// send sends a request of few keys, and compares the answer with the model's.
func (s *sender) send(t *testing.T, w *Windows, random *rand.Rand) {
	t.Helper()
	s.at += time.Duration(random.Int64N(int64(2 * time.Second)))
	id, ifa, address := fmt.Sprint(random.IntN(500)), fmt.Sprint("ifa-", random.IntN(50)), fmt.Sprintf("198.51.100.%d", random.IntN(50))
	want := s.m.observe(id, ifa, address, s.at)
	if got := w.Observe(s.name, request(id, ifa, address), time.Unix(0, 0).Add(s.at), Delivery{}); got != want {
		t.Fatalf("partner %q, id %s, ifa %s, address %s at %v: %+v, want %+v", s.name, id, ifa, address, s.at, got, want)
	}
}

// TestNobodyEmptiesAnother has partners with few keys, and strangers or partners that flood theirs,
// at any time. Each gets the answers of an unbounded map of its own, while other partners come and
// go.
func TestNobodyEmptiesAnother(t *testing.T) {
	random := testkit.Rand(testkit.Seed(t))
	for round := range testkit.Scale(t, 4, 20, 200) {
		o := Options{
			EventTime: true, Partners: map[string]Partner{},
			Shared: Limits{IFAs: 200 + random.IntN(4000), Addresses: 200 + random.IntN(4000), IDs: 2000 + random.IntN(9000)},
		}
		own := func() (p Partner) {
			switch random.IntN(3) {
			case 0:
				p.Rate = 1 + random.IntN(100)
			case 1:
				p.Limits = Limits{IFAs: 200 + random.IntN(2000), Addresses: 200 + random.IntN(2000), IDs: 2000 + random.IntN(5000)}
			}
			return p
		}
		strangersFlood := round%2 == 0
		var quiet []*sender
		for i := range 1 + random.IntN(4) {
			name := fmt.Sprint("quiet-", i)
			o.Partners[name] = own()
			quiet = append(quiet, &sender{name, newModel(), 1000 * time.Hour})
		}
		loud := []string{"stranger", "stranger too", ""}
		if !strangersFlood {
			loud = nil
			quiet = append(quiet, &sender{"", newModel(), 1000 * time.Hour})
		}
		for i := range 1 + random.IntN(2) {
			loud = append(loud, fmt.Sprint("loud-", i))
			o.Partners[loud[len(loud)-1]] = []Partner{{}, {Rate: 1}, {Limits: Limits{200, 200, 500}}}[random.IntN(3)]
		}
		w, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		for n := range testkit.Scale(t, 60_000, 60_000, 100_000) {
			if random.IntN(10) == 0 {
				quiet[random.IntN(len(quiet))].send(t, w, random)
			}
			at := 1000*time.Hour + time.Duration(n)*time.Millisecond
			if random.IntN(100) == 0 {
				at = time.Duration(random.Int64N(int64(2000 * time.Hour)))
			}
			key := fmt.Sprint(round, "-", n)
			w.Observe(loud[n%len(loud)], request(key, key, ip(n)), time.Unix(0, 0).Add(at), Delivery{})
			if random.IntN(5000) == 0 { // a reload
				if name := fmt.Sprint("guest-", random.IntN(3)); o.Partners[name] != (Partner{}) {
					delete(o.Partners, name)
				} else {
					o.Partners[name] = Partner{Rate: 1 + random.IntN(1000)}
				}
				if w, err = w.Reconfigure(o); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, name := range loud {
			if w.Stats(name).Forgotten.IDs == 0 {
				t.Errorf("the flood of %q is too small", name)
			}
		}
		for _, s := range quiet {
			if f := w.Stats(s.name).Forgotten; f.IDs+f.IFAs+f.Addresses != 0 {
				t.Errorf("entries of %q were forgotten: %+v", s.name, f)
			}
		}
	}
}

// TestNobodyEmptiesAnotherAtOnce is the same with a goroutine for each, and reloads beside them.
func TestNobodyEmptiesAnotherAtOnce(t *testing.T) {
	seed := testkit.Seed(t)
	o := Options{EventTime: true, Shared: Limits{IFAs: 4000, Addresses: 4000, IDs: 20_000}, Partners: map[string]Partner{"a": {}, "b": {Rate: 20}, "loud": {}}}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i, name := range []string{"a", "b"} {
		group.Go(func() {
			random := testkit.Rand(seed + uint64(i))
			s := &sender{name, newModel(), 1000 * time.Hour}
			for range 3000 {
				s.send(t, w, random)
			}
		})
	}
	for _, name := range []string{"loud", "stranger"} {
		group.Go(func() {
			for n := range 30_000 {
				w.Observe(name, request(fmt.Sprint(n), fmt.Sprint(n), ip(n)), start, Delivery{})
			}
		})
	}
	group.Go(func() {
		next := w
		for n := range 20 {
			o := o
			o.Partners = map[string]Partner{"a": {}, "b": {Rate: 20}, fmt.Sprint("guest-", n): {}}
			if next, err = next.Reconfigure(o); err != nil {
				t.Error(err)
				return
			}
			if next.partners["a"] != w.partners["a"] || next.partners["b"] != w.partners["b"] || next.others != w.others {
				t.Error("a reload has replaced tables of partners that stay")
			}
		}
	})
	group.Wait()
}

// TestSharesStay: partners that come or go change the tables of nobody else, as long as there is
// memory for the new ones. Otherwise what is shared is divided again, and the memory stays bounded.
func TestSharesStay(t *testing.T) {
	shared := Limits{IFAs: 10_000, Addresses: 10_000, IDs: 100_000}
	o := Options{Shared: shared, Partners: map[string]Partner{"own": {Limits: Limits{IFAs: 1, Addresses: 1, IDs: 500}}}}
	one, err := o.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	o.BytesMax = one * 2
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	held := func(w *Windows) (sum int64) {
		sum = w.others.limits.bytes()
		for _, p := range w.partners {
			sum += p.limits.bytes()
		}
		return sum
	}
	reconfigure := func(change func(o *Options)) (before, next *Windows) {
		t.Helper()
		o.Partners = maps.Clone(o.Partners)
		change(&o)
		before = w
		if w, err = w.Reconfigure(o); err != nil {
			t.Fatal(err)
		}
		if got := held(w); got > o.BytesMax {
			t.Errorf("tables of %d bytes, at most %d are allowed", got, o.BytesMax)
		}
		return before, w
	}
	before, next := reconfigure(func(o *Options) { o.Partners["a"] = Partner{Rate: 50} })
	if next.others != before.others || next.partners["own"] != before.partners["own"] || next.partners["a"].limits.IDs != 30_000 {
		t.Errorf("a partner came: the others have %+v, it has %+v", next.others.limits, next.partners["a"].limits)
	}
	before, next = reconfigure(func(o *Options) { o.Partners["a"] = Partner{Rate: 60} })
	if next.partners["a"] == before.partners["a"] || next.partners["a"].limits.IDs != 36_000 || next.others != before.others {
		t.Errorf("the rate changed: %+v", next.partners["a"].limits)
	}
	before, next = reconfigure(func(o *Options) { o.Partners["b"] = Partner{} })
	if next.partners["a"] != before.partners["a"] || next.others != before.others || next.partners["b"].limits.IDs != 33_333 {
		t.Errorf("another came: %+v", next.partners["b"].limits)
	}
	before, next = reconfigure(func(o *Options) { delete(o.Partners, "a") })
	if next.partners["b"] != before.partners["b"] || next.others != before.others || next.partners["own"] != before.partners["own"] {
		t.Error("a partner went, and others' tables were replaced")
	}
	kept := next.partners["own"]
	for n := range 30 {
		_, next = reconfigure(func(o *Options) { o.Partners[fmt.Sprint("p-", n)] = Partner{} })
	}
	if next.partners["own"] != kept {
		t.Error("a partner with limits of its own lost its table")
	}
	if next.others == before.others {
		t.Error("the shares were not divided again")
	}
}
