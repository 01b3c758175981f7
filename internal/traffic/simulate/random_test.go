package simulate

import "testing"

// TestTails checks what the document says about users, apps and sites: how many there are, and that
// all octaves are equally likely.
func TestTails(t *testing.T) {
	for _, tt := range []struct {
		name string
		tail tail
		size int
	}{{"users", users, 4_194_048}, {"apps", apps, 2_040}, {"sites", sites, 8_184}} {
		s := source{uint64(tt.size)}
		const draws = 140_000
		octaves := make([]int, tt.tail.octaves)
		for range draws {
			rank := tt.tail.draw(&s)
			if rank < 0 || rank >= tt.size {
				t.Fatalf("%s: rank %d of %d", tt.name, rank, tt.size)
			}
			k := 0
			for rank >= tt.tail.first<<(k+1)-tt.tail.first {
				k++
			}
			octaves[k]++
		}
		want := draws / tt.tail.octaves
		for k, n := range octaves {
			if n < want*95/100 || n > want*105/100 {
				t.Errorf("%s: octave %d was drawn %d times, want about %d", tt.name, k, n, want)
			}
		}
	}
}

// TestExpand checks that each entry is drawn as often as its weight says.
func TestExpand(t *testing.T) {
	w := expand(3, 0, 1)
	s, counts := source{1}, [3]int{}
	for range 40_000 {
		counts[w.draw(&s)]++
	}
	if counts[0] < 29_000 || counts[0] > 31_000 || counts[1] != 0 {
		t.Errorf("weights 3, 0 and 1 were drawn %v times", counts)
	}
}
