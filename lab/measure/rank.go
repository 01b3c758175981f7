package measure

import "math"

// Kendall returns the rank correlation of two lists of values of the same things (tau-b): 1 if one
// orders them as the other does, -1 if in reverse, and 0 if it says nothing about the other's
// order. Values that are equal count for neither. A list of equal values says nothing.
func Kendall(x, y []float64) float64 {
	agree, differ, tiesX, tiesY := 0.0, 0.0, 0.0, 0.0
	for i := range x {
		for j := range i {
			dx, dy := x[i]-x[j], y[i]-y[j]
			switch {
			case dx == 0 && dy == 0:
			case dx == 0:
				tiesX++
			case dy == 0:
				tiesY++
			case (dx > 0) == (dy > 0):
				agree++
			default:
				differ++
			}
		}
	}
	if agree+differ == 0 {
		return 0
	}
	return (agree - differ) / math.Sqrt((agree+differ+tiesX)*(agree+differ+tiesY))
}
