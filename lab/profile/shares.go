package profile

import (
	"math"
	"regexp"

	"github.com/google/pprof/profile"
)

// Shares returns the parts of all samples that are in matching functions themselves, and in what
// they call.
func Shares(p *profile.Profile, match *regexp.Regexp) (flat, cumulative float64) {
	var total, own, all int64
	value := len(p.SampleType) - 1
	for _, s := range p.Sample {
		total += s.Value[value]
		seen := false
		for i, location := range s.Location {
			for j, line := range location.Line {
				if line.Function == nil || !match.MatchString(line.Function.Name) {
					continue
				}
				if i == 0 && j == 0 {
					own += s.Value[value]
				}
				seen = true
			}
		}
		if seen {
			all += s.Value[value]
		}
	}
	if total == 0 {
		return math.NaN(), math.NaN()
	}
	return float64(own) / float64(total), float64(all) / float64(total)
}
