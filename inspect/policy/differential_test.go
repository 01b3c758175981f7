package policy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestDifferential compares closures with cel-go's interpreter: random conditions on the corpus
// have the same result in both, or none in both.
func TestDifferential(t *testing.T) {
	conditions, every := testkit.Scale(t, 50, 300, 10_000), testkit.Scale(t, 200, 60, 1)
	var inputs []*rule.Input
	for i, text := range testkit.Requests(t) {
		if i%every != 0 {
			continue
		}
		if _, err := openrtb.Parse(text); err != nil {
			continue // some have values of the wrong type
		}
		in := input(t, string(text))
		in.Facts = sampleFacts()
		inputs = append(inputs, in)
	}
	in := input(t, sample)
	in.Facts = sampleFacts()
	inputs = append(inputs, in)

	e := testEnv(t)
	r := &random{Rand: rand.New(rand.NewPCG(20261122, uint64(conditions)))}
	holds, fails, both, faults := 0, 0, 0, 0
	skipped := 0
	for n := 0; n < conditions; {
		r.names = 0
		source := r.boolean(1 + r.IntN(4))
		interpreted, issues := e.Compile(source, Interpreted)
		if issues != nil {
			// The checker gives some operations on values of an ext a type by their operands.
			if skipped++; !strings.Contains(issues[0].Message, "does not take") {
				t.Fatalf("interpreted %s: %v", source, issues)
			}
			continue
		}
		closures, issues := e.Compile(source)
		if issues != nil {
			t.Fatalf("%s: %v", source, issues)
		}
		n++
		hold := 0
		for i, in := range inputs {
			got, err := closures.Holds(in)
			want, wantErr := interpreted.Holds(in)
			if got != want || (err == nil) != (wantErr == nil) {
				t.Errorf("%s\non request %d: closures %v, %v; interpreter %v, %v", source, i*every, got, err, want, wantErr)
				if faults++; faults == 10 {
					t.FailNow()
				}
				break
			}
			switch {
			case err != nil:
				fails++
			case got:
				holds++
				hold++
			}
		}
		if hold > 0 && hold < len(inputs) {
			both++
		}
	}
	if skipped*20 > conditions {
		t.Errorf("%d conditions have no type", skipped)
	}
	all := conditions * len(inputs)
	t.Logf("%d conditions, %d requests: %d%% true, %d%% without a value, %d conditions true for some", conditions, len(inputs), 100*holds/all, 100*fails/all, both)
	const few = 200 // conditions that chance makes dull
	if conditions >= few && (holds*10 < all || fails*100 < all || both*10 < conditions) {
		t.Error("the conditions are too dull to compare anything")
	}
}
