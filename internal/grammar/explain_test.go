package grammar

import (
	"math/rand/v2"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
)

// TestExplain: one pass gives the pointer of PointerAt and the fault of Check.
func TestExplain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	faults := 0
	for range 2000 {
		data := []byte(`{"a":` + oracle.RandomJSON(rnd.IntN, 4) + `,"~/":` + oracle.RandomJSON(rnd.IntN, 3) + "}")
		switch at := rnd.IntN(len(data)); rnd.IntN(3) {
		case 0:
			data = data[:at]
		case 1:
			data[at] = `{}[]:,"\x`[rnd.IntN(9)]
		}
		fault, at := Check(data, DepthMax, true)
		faults += min(int(fault), 1)
		for _, offset := range []int{at, rnd.IntN(len(data) + 1)} {
			pointer, s := Explain(data, offset)
			if want := PointerAt(data, offset); pointer != want || s.Fault != fault || s.At != at {
				t.Fatalf("%s: %d is in %q, want %q; fault %d at %d, want %d at %d", data, offset, pointer, want, s.Fault, s.At, fault, at)
			}
			if (s.Expected == "") != (fault == 0) {
				t.Fatalf("%s: fault %d is explained as %q", data, fault, s.Expected)
			}
		}
	}
	if faults < 500 {
		t.Errorf("only %d documents have a fault", faults)
	}
}
