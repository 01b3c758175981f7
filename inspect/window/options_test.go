package window

import (
	"strings"
	"testing"
	"time"
)

func TestDefaults(t *testing.T) {
	var o Options
	if err := o.validate(); err != nil {
		t.Fatal(err)
	}
	if o.Window != WindowDefault || o.IDWindow != IDWindowDefault || o.IPv6Bits != IPv6BitsDefault || o.BytesMax != BytesMaxDefault {
		t.Errorf("%+v", o)
	}
	if want := (Limits{IFAsDefault, AddressesDefault, IDsDefault}); o.Shared != want {
		t.Errorf("%+v, want %+v", o.Shared, want)
	}
	o = Options{Window: time.Hour}
	if err := o.validate(); err != nil || o.IDWindow != 2*time.Hour {
		t.Errorf("ids of a window of %v are remembered for %v: %v", o.Window, o.IDWindow, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string // part of the error, "" for none
	}{
		{Options{Window: WindowMin, IDWindow: 2 * WindowMin, IPv6Bits: 1}, ""},
		{Options{Window: WindowMax, IDWindow: IDWindowMax, IPv6Bits: 128}, ""},
		{Options{Window: WindowMin - 1}, "window of 999.999999ms: expected 1s to 1h0m0s"},
		{Options{Window: WindowMax + 1}, "expected 1s to 1h0m0s"},
		{Options{Window: -1}, "expected 1s to 1h0m0s"},
		{Options{IDWindow: 2*WindowDefault - 1}, "expected 2m0s, twice the window, to 24h0m0s"},
		{Options{IDWindow: IDWindowMax + 1}, "to 24h0m0s"},
		{Options{IPv6Bits: -1}, "expected 1 to 128"},
		{Options{IPv6Bits: 129}, "expected 1 to 128"},
		{Options{BytesMax: -1}, "expected a positive number"},
		{Options{Shared: Limits{IFAs: -1}}, "what partners share: capacity of -1 ifas: expected 1 to"},
		{Options{Partners: map[string]Partner{"a": {}, "b": {Limits: Limits{Addresses: EntriesMax + 1}}}}, `partner "b": capacity of 1073741825 addresses`},
		{Options{Partners: map[string]Partner{"a": {Limits: Limits{IDs: -5}}}}, `partner "a": capacity of -5 ids`},
		{Options{Partners: map[string]Partner{"a": {Rate: -1}}}, `partner "a": -1 requests a second`},
		{Options{Shared: Limits{IDs: 100_000_000}}, "the tables of 0 partners and the others take"},
		{Options{BytesMax: 1 << 20}, "expected at most 1048576"},
	} {
		_, err := c.o.Bytes()
		if c.want == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.o, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
		if w, err := New(c.o); w != nil || err == nil {
			t.Errorf("%+v: made", c.o)
		}
		if next, err := open(t, Options{}).Reconfigure(c.o); next != nil || err == nil {
			t.Errorf("%+v: reconfigured", c.o)
		}
	}
}

func TestBytes(t *testing.T) {
	o := Options{Shared: Limits{IFAs: 1, Addresses: 10_000, IDs: 200_000}, Partners: map[string]Partner{"a": {Limits: Limits{IFAs: 300_000, Addresses: 5, IDs: 100}}}}
	want, err := o.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	const around = 64 << 10 // size classes, and what is not a table
	if got := int64(heap() - before); got < want || got > want+around {
		t.Errorf("%d bytes are allocated, want %d", got, want)
	}
	if _, ok := w.partners["a"]; !ok || len(o.Partners) != 1 || o.Partners["a"].Limits.IDs != 100 {
		t.Error("the options changed")
	}
}

// TestReconfigure keeps the tables whose limits stay.
func TestReconfigure(t *testing.T) {
	limits := func(ids int) Partner { return Partner{Limits: Limits{IFAs: 100, Addresses: 100, IDs: ids}} }
	o := Options{Shared: limits(100).Limits, Partners: map[string]Partner{"kept": limits(100), "changed": limits(100), "gone": limits(100)}}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	r := request("1", someIFA, "")
	names := []string{"kept", "changed", "gone", "unknown", "added"}
	for _, name := range names {
		w.Observe(name, r, now, Delivery{})
	}
	check := func(w *Windows, want ...int) {
		t.Helper()
		for i, name := range names {
			if got := w.Observe(name, r, now, Delivery{}).Counts.IFA; got != want[i] {
				t.Errorf("partner %s: %d requests, want %d", name, got, want[i])
			}
		}
	}
	o.Partners = map[string]Partner{"kept": limits(100), "changed": limits(200), "added": limits(100)}
	next, err := w.Reconfigure(o)
	if err != nil {
		t.Fatal(err)
	}
	check(next, 2, 1, 1, 2, 1)
	check(w, 3, 2, 2, 3, 2) // both are in use for a while

	for _, change := range []func(o *Options){
		func(o *Options) { o.Window = 2 * WindowDefault },
		func(o *Options) { o.IDWindow = 2 * IDWindowDefault },
		func(o *Options) { o.IPv6Bits = 56 },
		func(o *Options) { o.EventTime = true },
	} {
		o := o
		change(&o)
		empty, err := next.Reconfigure(o)
		if err != nil {
			t.Fatal(err)
		}
		check(empty, 1, 1, 1, 1, 1)
	}
	o.Shared = limits(200).Limits
	if next, err = next.Reconfigure(o); err != nil {
		t.Fatal(err)
	}
	check(next, 4, 2, 1, 1, 2)
}
