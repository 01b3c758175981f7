package plot

import (
	"fmt"
	"testing"
)

// TestAxes makes axes for values of many sizes.
func TestAxes(t *testing.T) {
	text := func(v float64) string { return fmt.Sprint(v) }
	for _, high := range []float64{1e-3, 0.7, 1, 3, 10, 99, 100, 12345, 1e7} {
		a, ticks := Linear(high, true, 100, 0, text)
		if a.To < high || len(ticks) < 2 || len(ticks) > 8 || a.At(high) < 0 || a.At(0) != 100 {
			t.Errorf("%v: %+v, %d ticks", high, a, len(ticks))
		}
		a, ticks = Logarithmic(high/1000, high, 100, 0, text)
		if a.To < high || a.From > high/1000 || len(ticks) < 3 || len(ticks) > 6 {
			t.Errorf("%v: %+v, %d ticks", high, a, len(ticks))
		}
	}
	if a, ticks := Logarithmic(10, 10, 0, 1, text); a.To != 100 || len(ticks) != 2 {
		t.Errorf("%+v", a)
	}
}

// TestAt places values, those at the ends of an axis and those outside it.
func TestAt(t *testing.T) {
	linear, log := Axis{From: 0, To: 10, Start: 100, Stop: 200}, Axis{From: 1, To: 100, Start: 100, Stop: 0, Log: true}
	single := Axis{From: 3, To: 3, Start: 7, Stop: 9}
	for _, tc := range []struct {
		axis     *Axis
		at, want float64
	}{
		{&linear, 0, 100}, {&linear, 5, 150}, {&linear, 10, 200}, {&linear, 11, 200}, {&linear, -1, 100},
		{&log, 1, 100}, {&log, 10, 50}, {&log, 100, 0}, {&log, 1000, 0}, {&log, 0, 100},
		{&single, 3, 7},
	} {
		if got := tc.axis.At(tc.at); got != tc.want {
			t.Errorf("%+v: %v is at %v, want %v", tc.axis, tc.at, got, tc.want)
		}
	}
	if path := Path([]Point{{0, 1}, {5, 10}, {10, 100}}, &linear, &log); path != "M100.0 100.0L150.0 50.0L200.0 0.0" {
		t.Error(path)
	}
	if path := Path(nil, &linear, &log); path != "" {
		t.Error(path)
	}
}
