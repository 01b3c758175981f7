package measure

import (
	"math"
	"testing"
)

func TestKendall(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 99}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4}, []float64{2, 1, 4, 3}, 1. / 3},
		// Two pairs agree; one has equal values on the left, three on the right.
		{[]float64{1, 1, 2, 3}, []float64{1, 2, 2, 2}, (2 - 0) / math.Sqrt(3*5)},
		{[]float64{1, 1}, []float64{1, 2}, 0},
	} {
		if got := Kendall(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.x, c.y, got, c.want)
		}
		if got := Kendall(c.y, c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.y, c.x, got, c.want)
		}
	}
}
