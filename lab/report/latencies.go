package report

import (
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// latencyTable counts the requests of the services by their time: a bucket of the histograms per
// row, a service per column.
func (r *Results) latencyTable() *table {
	t := &table{title: latencyTitle, note: "Those below a time and not below the one in the row above.", head: []string{"below"}}
	var with []*measure.ServiceResult
	first, end := -1, 0
	for i := range r.Services {
		s := &r.Services[i]
		if s.Histogram == nil {
			continue
		}
		with, t.head = append(with, s), append(t.head, s.Engine)
		if some := slices.IndexFunc(s.Histogram, func(n int) bool { return n > 0 }); first < 0 || some < first {
			first = some
		}
		end = max(end, len(s.Histogram))
	}
	for bucket := first; bucket < end && bucket >= 0; bucket++ {
		bound := measure.Bound(bucket)
		row := []string{nanoseconds(&bound).write()}
		for _, s := range with {
			n := 0
			if bucket < len(s.Histogram) {
				n = s.Histogram[bucket]
			}
			row = append(row, count(&n).write())
		}
		t.add(row...)
	}
	return t
}

// readLatencies reads what latencyTable has made.
func (r *Results) readLatencies(t *table) error {
	if t == nil {
		return nil
	}
	for c, name := range t.head[1:] {
		s := r.service(name)
		if s == nil {
			return fmt.Errorf("%s: no service with %s", t.title, name)
		}
		for _, row := range t.rows {
			var bound float64
			var n int
			if err := nanoseconds(&bound).read(row[0]); err != nil {
				return fmt.Errorf("%s: %w", t.title, err)
			}
			if err := count(&n).read(row[c+1]); err != nil {
				return fmt.Errorf("%s, %s: %w", t.title, name, err)
			}
			bucket := measure.BucketOf(bound * 0.99) // the bound was rounded
			s.Histogram = append(s.Histogram, make([]int, max(0, bucket+1-len(s.Histogram)))...)
			s.Histogram[bucket] = n
		}
		last := len(s.Histogram)
		for last > 0 && s.Histogram[last-1] == 0 {
			last--
		}
		s.Histogram = s.Histogram[:last]
	}
	return nil
}
