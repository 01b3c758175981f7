package coder

import (
	"errors"
	"math"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
)

// TestFloat32: the shortest number that reads back as the same float32, in the form of
// encoding/json; NaN and infinity fail.
func TestFloat32(t *testing.T) {
	for v, want := range map[float32]string{
		0: "0", 0.1: "0.1", -2.5: "-2.5", 16777216: "16777216", 1e-7: "1e-7", math.MaxFloat32: "3.4028235e+38",
	} {
		var w Writer
		if got := string(w.Float32(nil, v)); got != want {
			t.Errorf("%v is written as %s, want %s", v, got, want)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		var w Writer
		out := w.Float32(nil, float32(v))
		if _, err := w.Finish(nil, out, &v); !errors.Is(err, wire.CodeFinite) {
			t.Errorf("%v: %v, want %v", v, err, wire.CodeFinite)
		}
	}
}

func TestAppendBool(t *testing.T) {
	type flag bool
	if got := string(AppendBool(AppendBool(nil, flag(true)), false)); got != "truefalse" {
		t.Errorf("true and false are written as %s", got)
	}
}

// TestEnter: a value may be as deep as the limit on nesting, and no deeper; after that nothing
// goes on, so that a cyclic value comes to an end.
func TestEnter(t *testing.T) {
	var w Writer
	for depth := range wire.DepthMax {
		if !w.Enter() {
			t.Fatalf("level %d of %d is refused", depth+1, wire.DepthMax)
		}
	}
	w.Leave()
	if !w.Enter() {
		t.Error("a level that was left can't be entered again")
	}
	if w.Enter() {
		t.Errorf("level %d is entered", wire.DepthMax+1)
	}
	w.Leave()
	if w.Enter() {
		t.Error("a value that has failed goes on")
	}
	if _, err := w.Finish(nil, nil, new(int)); !errors.Is(err, wire.CodeDepth) {
		t.Errorf("%v, want %v", err, wire.CodeDepth)
	}
}
