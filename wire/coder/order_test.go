package coder

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// These tests are about Order: when it guesses and when it stops. The tests of gen and openrtb
// check that guesses change no result.

// learn reports a number of objects to the order, each with that many missed keys.
func learn(o *Order, objects int, missed uint8) {
	for range objects {
		o.Missed = missed
		o.Learn()
	}
}

// TestOrderLuck: good objects start the guessing, and misses stop it.
func TestOrderLuck(t *testing.T) {
	var o Order
	if o.Mask != 0 {
		t.Error("a new order guesses before it has seen anything")
	}
	learn(&o, 1, 0)
	if o.Mask != 0xff {
		t.Error("one object in the expected order is not enough to guess")
	}
	learn(&o, 100, 0)
	if o.luck != luckMax {
		t.Errorf("the luck after 100 good objects is %d, want %d", o.luck, luckMax)
	}
	learn(&o, 1, 1)
	if o.Mask != 0xff {
		t.Error("one miss after much luck ends the guessing")
	}
	learn(&o, 10, 2)
	if o.Mask != 0 || o.luck != luckMin {
		t.Errorf("after 10 objects with 2 misses each: mask %#x, luck %d", o.Mask, o.luck)
	}
	learn(&o, -luckMin, 0)
	if o.Mask != 0xff {
		t.Errorf("after %d good objects it still does not guess", -luckMin)
	}
}

// TestOrderBounds: luck stays within its bounds, and Missed starts at 0 for each object.
func TestOrderBounds(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var o Order
	for range 100_000 {
		o.Missed = uint8(r.UintN(256)) >> r.UintN(9)
		o.Learn()
		if o.luck < luckMin || o.luck > luckMax || o.Missed != 0 || (o.Mask == 0xff) != (o.luck >= 0) || o.Mask != 0 && o.Mask != 0xff {
			t.Fatalf("luck %d, mask %#x, missed %d", o.luck, o.Mask, o.Missed)
		}
	}
}

// TestOrderAscends reads random objects, some with members that come twice, as generated code does:
// a member that was guessed has not come before.
func TestOrderAscends(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 200 {
		var o Order
		fields := 1 + r.IntN(OrderFields)
		producers := make([][]int, 1+r.IntN(3))
		for i := range producers {
			producers[i] = r.Perm(fields)
		}
		guessed := 0
		for range 2000 {
			o.Last, o.Missed = 0, 0
			var seen [OrderFields + 1]bool
			for _, i := range producers[r.IntN(len(producers))] {
				f := uint8(i + 1)
				switch r.IntN(20) {
				case 0:
					continue // left out
				case 1:
					f = uint8(1 + r.IntN(fields)) // out of order, perhaps once more
				}
				switch {
				case o.Next[o.Last] != f:
					o.Found(f)
				case seen[f]:
					t.Fatalf("field %d is guessed after %d, but has come before: %+v", f, o.Last, o)
				default:
					guessed++
				}
				seen[f], o.Last = true, f
				if o.places[f] > o.top {
					t.Fatalf("place %d is above the top %d", o.places[f], o.top)
				}
			}
		}
		if guessed == 0 && fields > 1 {
			t.Error("no guess was right")
		}
	}
}
