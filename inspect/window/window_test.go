package window

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// open returns windows with small tables, unless the options say otherwise.
func open(tb testing.TB, o Options) *Windows {
	tb.Helper()
	if o.Shared == (Limits{}) {
		o.Shared = Limits{IFAs: 10_000, Addresses: 10_000, IDs: 10_000}
	}
	w, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// start is a time at the beginning of a slot of the default windows, in event time.
var start = time.Unix(1_800_000_000, 0)

func request(id, ifa, ip string) *openrtb.BidRequest {
	return &openrtb.BidRequest{ID: id, Device: &openrtb.Device{IFA: ifa, IP: ip}}
}

const someIFA = "6d92078a-8246-4ba4-ae5b-76104861e7dc"

// TestSameKey says which values are counted, and which are the same.
func TestSameKey(t *testing.T) {
	type device = openrtb.Device
	long := strings.Repeat("a", IFALen)
	for _, c := range []struct {
		name          testkit.CaseName
		first, second *device
		ifa, address  int // counts at the second
	}{
		{testkit.Name("no device"), nil, nil, 0, 0},
		{testkit.Name("empty"), &device{}, &device{}, 0, 0},
		{testkit.Name("equal"), &device{IFA: someIFA, IP: "198.51.100.7"}, &device{IFA: someIFA, IP: "198.51.100.7"}, 2, 2},
		{testkit.Name("others"), &device{IFA: someIFA, IP: "198.51.100.7"}, &device{IFA: "x", IP: "198.51.100.8"}, 1, 1},
		{testkit.Name("letter case"), &device{IFA: someIFA}, &device{IFA: strings.ToUpper(someIFA)}, 2, 0},
		{testkit.Name("white space and braces"), &device{IFA: someIFA}, &device{IFA: "\t{ " + someIFA + "\u00a0} "}, 2, 0},
		{testkit.Name("no hyphens"), &device{IFA: someIFA}, &device{IFA: strings.ReplaceAll(someIFA, "-", "")}, 2, 0},
		{testkit.Name("blank"), &device{IFA: " {\t}"}, &device{IFA: " {\t}"}, 0, 0},
		{testkit.Name("half a brace"), &device{IFA: someIFA}, &device{IFA: "{" + someIFA}, 1, 0},
		{testkit.Name("not letters"), &device{IFA: "@[`{"}, &device{IFA: "`{@["}, 1, 0},
		{testkit.Name("a prefix"), &device{IFA: "abcdefg"}, &device{IFA: "abcdefgh"}, 1, 0},
		{testkit.Name("a byte of 0 at the end"), &device{IFA: "abc"}, &device{IFA: "abc\x00"}, 1, 0},
		{testkit.Name("all zero"), &device{IFA: "00000000-0000-0000-0000-000000000000"}, &device{IFA: "00000000-0000-0000-0000-000000000000"}, 0, 0},
		{testkit.Name("zero"), &device{IFA: "0"}, &device{IFA: "0"}, 0, 0},
		{testkit.Name("nearly zero"), &device{IFA: "00000000-0000-0000-0000-000000000001"}, &device{IFA: "00000000-0000-0000-0000-000000000001"}, 2, 0},
		{testkit.Name("the longest"), &device{IFA: long}, &device{IFA: strings.ToUpper(long)}, 2, 0},
		{testkit.Name("too long"), &device{IFA: long + "a"}, &device{IFA: long + "a"}, 0, 0},
		{testkit.Name("IPv4 as IPv6"), &device{IP: "198.51.100.7"}, &device{IPv6: "::ffff:198.51.100.7"}, 0, 2},
		{testkit.Name("IPv4 as IPv6 in hexadecimal"), &device{IP: "198.51.100.7"}, &device{IPv6: "::FFFF:c633:6407"}, 0, 2},
		{testkit.Name("spellings of IPv6"), &device{IPv6: "2001:db8::1"}, &device{IPv6: "2001:0DB8:0:0:0:0:0:1"}, 0, 2},
		{testkit.Name("IPv6 in ip"), &device{IP: "2001:db8::1"}, &device{IPv6: "2001:db8::1"}, 0, 2},
		{testkit.Name("one network"), &device{IPv6: "2001:db8:1:2::1"}, &device{IPv6: "2001:db8:1:2:ffff::2"}, 0, 2},
		{testkit.Name("two networks"), &device{IPv6: "2001:db8:1:2::1"}, &device{IPv6: "2001:db8:1:3::1"}, 0, 1},
		{testkit.Name("both addresses"), &device{IP: "198.51.100.7", IPv6: "2001:db8::1"}, &device{IP: "198.51.100.7", IPv6: "2001:db8:9::1"}, 0, 2},
		{testkit.Name("a bad ip"), &device{IP: "unknown", IPv6: "2001:db8::1"}, &device{IP: "", IPv6: "2001:db8::1"}, 0, 2},
		{testkit.Name("an ip of zeros"), &device{IP: "0.0.0.0", IPv6: "2001:db8::1"}, &device{IPv6: "2001:db8::1"}, 0, 2},
		{testkit.Name("only zeros"), &device{IP: "0.0.0.0", IPv6: "::"}, &device{IP: "0.0.0.0", IPv6: "::"}, 0, 0},
		{testkit.Name("zones"), &device{IPv6: "fe80::1%eth0"}, &device{IPv6: "fe80::1%eth1"}, 0, 2},
		{testkit.Name("spellings of IPv4"), &device{IP: "198.51.100.7"}, &device{IP: "0xc6.51.25607:80"}, 0, 2},
	} {
		t.Run(c.name.String(), func(t *testing.T) {
			w := open(t, Options{})
			now := time.Now()
			w.Observe("", &openrtb.BidRequest{Device: c.first}, now, Delivery{})
			got := w.Observe("", &openrtb.BidRequest{Device: c.second}, now, Delivery{})
			if want := (Answers{Counts: rule.Counts{IFA: c.ifa, Address: c.address}}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestSpellingsOfIDs repeats the id of a request with white space around it.
func TestSpellingsOfIDs(t *testing.T) {
	w := open(t, Options{})
	now := time.Now()
	for i, c := range []struct {
		id   string
		seen bool
	}{{"same", false}, {"same ", true}, {"\u00a0same\t", true}, {"Same", false}, {"sa me", false}, {" ", false}, {"\t", false}} {
		if got := w.Observe("", &openrtb.BidRequest{ID: c.id}, now, Delivery{}); got.Seen != c.seen {
			t.Errorf("%d: %q was seen: %v, want %v", i, c.id, got.Seen, c.seen)
		}
	}
}

func TestIPv6Bits(t *testing.T) {
	for _, c := range []struct {
		bits          int
		first, second string
		same          bool
	}{
		{128, "2001:db8::1", "2001:db8::2", false},
		{128, "2001:db8::1", "2001:db8:0::1", true},
		{127, "2001:db8::2", "2001:db8::3", true},
		{127, "2001:db8::1", "2001:db8::2", false},
		{60, "2001:db8:0:10::", "2001:db8:0:1f::", true},
		{60, "2001:db8:0:10::", "2001:db8:0:20::", false},
		{56, "2001:db8:0:10::", "2001:db8:0:ff::", true},
		{1, "8000::", "ffff::", true},
		{1, "8000::", "7fff::", false},
	} {
		w := open(t, Options{IPv6Bits: c.bits})
		now := time.Now()
		w.Observe("", request("", "", c.first), now, Delivery{})
		got := w.Observe("", request("", "", c.second), now, Delivery{}).Counts.Address
		if want := map[bool]int{true: 2, false: 1}[c.same]; got != want {
			t.Errorf("%d bits of %s and %s: %d requests, want %d", c.bits, c.first, c.second, got, want)
		}
	}
}

// TestWindowEdge counts requests at the edges of windows.
func TestWindowEdge(t *testing.T) {
	const slot, idSlot = WindowDefault / countSlots, IDWindowDefault / idSlots
	for _, c := range []struct {
		after time.Duration // the first request
		count int
		seen  bool
	}{
		{0, 2, true},
		{slot - 1, 2, true},
		{countSlots*slot - 1, 2, true}, // at most the window
		{countSlots * slot, 1, true},
		{idSlots*idSlot - 1, 1, true},
		{idSlots * idSlot, 1, false},
		{256 * idSlot, 1, false}, // the stamps of entries begin again
		{1000 * time.Hour, 1, false},
	} {
		// Both windows begin at a slot: an hour is a multiple of both slots.
		from := time.Unix(0, 0).Add(500_000 * time.Hour)
		w := open(t, Options{EventTime: true})
		w.partner0(t).counting.aheadMax, w.partner0(t).remembering.aheadMax = 1<<40, 1<<40
		w.Observe("", request("1", someIFA, "198.51.100.7"), from, Delivery{})
		got := w.Observe("", request("1", someIFA, "198.51.100.7"), from.Add(c.after), Delivery{})
		want := Answers{Seen: c.seen, Counts: rule.Counts{IFA: c.count, Address: c.count}}
		if got != want {
			t.Errorf("%v later: %+v, want %+v", c.after, got, want)
		}
	}
}

// partner0 returns the tables that unknown partners share.
func (w *Windows) partner0(tb testing.TB) *partner {
	tb.Helper()
	p, _ := w.partner("")
	return p
}

// TestCountsBound holds counts to what the options promise: all requests of three quarters of the
// window, none that is older than it. The same goes for ids.
func TestCountsBound(t *testing.T) {
	w := open(t, Options{})
	random := testkit.Rand(testkit.Seed(t))
	at := time.Now()
	var times []time.Time
	var lastID time.Time
	for range testkit.Scale(t, 2000, 20_000, 200_000) {
		switch random.IntN(100) {
		case 0:
			at = at.Add(time.Duration(random.Int64N(int64(2 * IDWindowDefault))))
		case 1:
			at = at.Add(time.Duration(random.Int64N(int64(2 * WindowDefault))))
		default:
			at = at.Add(time.Duration(random.Int64N(int64(WindowDefault / 10))))
		}
		got := w.Observe("", request("1", someIFA, ""), at, Delivery{})
		times = append(times, at)
		atLeast, atMost := 0, 0
		for i := len(times) - 1; i >= 0 && at.Sub(times[i]) < WindowDefault; i-- {
			atMost++
			if at.Sub(times[i]) <= WindowDefault*3/4 {
				atLeast++
			}
		}
		if got.Counts.IFA < atLeast || got.Counts.IFA > atMost {
			t.Fatalf("%v: %d requests, want %d to %d", at, got.Counts.IFA, atLeast, atMost)
		}
		if age := at.Sub(lastID); got.Seen && age > IDWindowDefault || !got.Seen && age <= IDWindowDefault*63/64 {
			t.Fatalf("seen=%v after %v", got.Seen, age)
		}
		lastID = at
	}
}

func TestCountsStopAtTheirMaximum(t *testing.T) {
	w := open(t, Options{EventTime: true})
	r := request("", someIFA, "")
	observe := func(n int, at time.Time) (last int) {
		for range n {
			last = w.Observe("", r, at, Delivery{}).Counts.IFA
		}
		return last
	}
	if n := observe(laneMax-1, start); n != laneMax-1 {
		t.Errorf("%d requests, want %d", n, laneMax-1)
	}
	if n := observe(3, start); n != laneMax {
		t.Errorf("%d requests in one slot, want %d", n, laneMax)
	}
	for i := range countSlots {
		if n, want := observe(laneMax, start.Add(time.Duration(i)*WindowDefault/countSlots)), (i+1)*laneMax; n != want {
			t.Errorf("%d requests in %d slots, want %d", n, i+1, want)
		}
	}
}

func TestPartners(t *testing.T) {
	w := open(t, Options{Partners: map[string]Partner{"a": {Limits: Limits{IDs: 100}}, "b": {Limits: Limits{IDs: 100}}}})
	now := time.Now()
	r := request("1", someIFA, "198.51.100.7")
	for n := 1; n <= 2; n++ {
		for _, name := range []string{"a", "b", "unknown", "unknown too", ""} {
			got := w.Observe(name, r, now, Delivery{})
			if want := (Answers{Seen: n > 1, Counts: rule.Counts{IFA: n, Address: n}}); got != want {
				t.Errorf("partner %q, request %d: %+v, want %+v", name, n, got, want)
			}
		}
	}
}

// TestRedelivery delivers records again: one that was the first with its id, and a duplicate.
func TestRedelivery(t *testing.T) {
	record := func(partition int32, offset int64) Delivery { return Delivery{"requests", partition, offset} }
	type step struct {
		id          string
		d           Delivery
		seen, again bool
		count       int
	}
	for name, steps := range map[string][]step{
		"no deliveries": {{"1", Delivery{}, false, false, 1}, {"1", Delivery{}, true, false, 2}},
		"the same record": {
			{"1", record(0, 0), false, false, 1}, {"1", record(0, 0), false, true, 1}, {"1", record(0, 0), false, true, 1},
		},
		"another offset":    {{"1", record(0, 0), false, false, 1}, {"1", record(0, 1), true, false, 2}},
		"another partition": {{"1", record(0, 0), false, false, 1}, {"1", record(1, 0), true, false, 2}},
		"another topic":     {{"1", record(0, 0), false, false, 1}, {"1", Delivery{Topic: "others"}, true, false, 2}},
		"a duplicate too": {
			{"1", record(0, 0), false, false, 1}, {"1", record(0, 9), true, false, 2},
			{"1", record(0, 0), false, true, 2}, {"1", record(0, 9), true, true, 2},
			{"1", record(0, 10), true, false, 3},
		},
		"without id": {
			{"", record(0, 0), false, false, 1}, {"", record(0, 1), false, false, 2}, {"", record(0, 0), false, true, 2},
		},
		"without both": {{"", Delivery{}, false, false, 1}, {"", Delivery{}, false, false, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, Options{EventTime: true})
			for i, s := range steps {
				got := w.Observe("", request(s.id, someIFA, "198.51.100.7"), start, s.d)
				want := Answers{Seen: s.seen, Redelivered: s.again, Counts: rule.Counts{IFA: s.count, Address: s.count}}
				if got != want {
					t.Errorf("record %d: %+v, want %+v", i, got, want)
				}
			}
		})
	}
}

// TestRedeliveryOfMany delivers thousands of records twice, the second time in another order. One
// duplicate in a million looks like the first record with its id.
func TestRedeliveryOfMany(t *testing.T) {
	w := open(t, Options{EventTime: true})
	random := testkit.Rand(testkit.Seed(t))
	const n = 5000
	deliver := func(i int) Answers {
		r := request(fmt.Sprint(i%(n/2)), fmt.Sprintf("ifa-%d", i%10), "")
		return w.Observe("", r, start.Add(time.Duration(i)*time.Millisecond), Delivery{"requests", int32(i % 7), int64(i)})
	}
	const wrongMax = 2
	wrong := 0
	for i := range n {
		if got := deliver(i); got.Redelivered || got.Seen != (i >= n/2) {
			if wrong++; wrong > wrongMax {
				t.Fatalf("record %d: %+v", i, got)
			}
		}
	}
	for _, i := range random.Perm(n) {
		got := deliver(i)
		if !got.Redelivered || got.Seen != (i >= n/2) {
			if wrong++; wrong > 2*wrongMax {
				t.Fatalf("record %d again: %+v", i, got)
			}
		}
		if got.Counts.IFA > n/10 || got.Counts.IFA < n/10-wrongMax {
			t.Fatalf("record %d again: %+v", i, got)
		}
	}
}

func TestFill(t *testing.T) {
	w := open(t, Options{})
	f := rule.Facts{Partner: "a", Time: time.Now()}
	r := request("1", someIFA, "198.51.100.7")
	w.Fill(&f, r, Delivery{})
	w.Fill(&f, r, Delivery{})
	if !f.Seen || f.Counts != (rule.Counts{IFA: 2, Address: 2}) {
		t.Errorf("%v %+v", f.Seen, f.Counts)
	}
	f.Time = time.Time{}
	w.Fill(&f, r, Delivery{})
	if f.Seen || f.Counts != (rule.Counts{}) {
		t.Errorf("without a time: %v %+v", f.Seen, f.Counts)
	}
}

// TestNoAllocation observes requests of every kind.
func TestNoAllocation(t *testing.T) {
	w := open(t, Options{EventTime: true, Partners: map[string]Partner{"a": {Limits: Limits{IFAs: 100, Addresses: 100, IDs: 100}}}})
	requests := []*openrtb.BidRequest{
		request("1", someIFA, "198.51.100.7"),
		request("2", strings.ToUpper(someIFA), "2001:db8::1"),
		request("", strings.Repeat("x", 2*IFALen), "999.1.1.1"),
		request(strings.Repeat("long", 100), "", "2001:db8::1%zone"),
		{ID: "3"},
	}
	n := int64(0)
	if allocs := testing.AllocsPerRun(1000, func() {
		for _, r := range requests {
			n++
			f := rule.Facts{Partner: "a", Time: start.Add(time.Duration(n%7) * time.Hour)}
			w.Fill(&f, r, Delivery{"requests", 1, n / 2})
			w.Observe("b", r, start, Delivery{})
		}
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
