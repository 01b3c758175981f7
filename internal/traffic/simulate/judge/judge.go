// Package judge evaluates verdicts on simulated requests: the share of each planted fault that is
// refused, and the false positives.
//
//	generator, err := simulate.New(simulate.Config{Defects: simulate.Percent(3)})
//	table, err := judge.Run(ctx, generator, engine, judge.Options{Count: 100_000})
//	err = table.WriteText(os.Stdout)
package judge

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// Options say which requests are judged.
type Options struct {
	First, Count uint64
	// Jobs is how many goroutines judge, by default one for each core.
	Jobs int
	// Facts are known about all requests.
	Facts inspect.Facts
	// Progress is called now and then with the number of requests so far, by one goroutine at a
	// time. Default: none.
	Progress func(requests uint64)
}

// Row is what became of the requests of one kind.
type Row struct {
	Kind simulate.Kind // of class Clean with an empty id for requests without a fault
	// Requests is their number. Each is counted once in Refused, Warned, Observed or Silent: by
	// its verdict, or else by its most severe finding.
	Requests, Refused, Warned, Observed, Silent uint64
	// Score is the sum of the fraud scores.
	Score uint64
	// Reasons are the reasons of refusals, or of those findings, with the number of requests.
	Reasons map[string]uint64
}

// Main returns the most frequent reason, or "".
func (r *Row) Main() string {
	reasons := slices.Collect(maps.Keys(r.Reasons))
	if len(reasons) == 0 {
		return ""
	}
	return slices.MinFunc(reasons, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Reasons[b], r.Reasons[a]), cmp.Compare(a, b))
	})
}

// count counts a verdict.
func (r *Row) count(v *inspect.Verdict) {
	r.Requests++
	r.Score += uint64(v.Score)
	reason := v.Reason
	switch {
	case v.Action == inspect.ActionRefuse:
		r.Refused++
	case v.Counts[inspect.Warn] > 0:
		r.Warned++
		reason = first(v, inspect.Warn)
	case v.Counts[inspect.Observe] > 0:
		r.Observed++
		reason = first(v, inspect.Observe)
	default:
		r.Silent++
		return
	}
	if r.Reasons == nil {
		r.Reasons = map[string]uint64{}
	}
	r.Reasons[reason]++
}

// first returns the reason of the first finding of a severity.
func first(v *inspect.Verdict, s inspect.Severity) string {
	for i := range v.Findings {
		if v.Findings[i].Severity == s {
			return v.Findings[i].ID
		}
	}
	return ""
}

// add adds the counts of another row.
func (r *Row) add(other *Row) {
	r.Requests += other.Requests
	r.Refused += other.Refused
	r.Warned += other.Warned
	r.Observed += other.Observed
	r.Silent += other.Silent
	r.Score += other.Score
	for reason, n := range other.Reasons {
		if r.Reasons == nil {
			r.Reasons = map[string]uint64{}
		}
		r.Reasons[reason] += n
	}
}

// Table is the result of [Run].
type Table struct {
	// Rows has clean requests first, then every kind of the generator's that occurred, in the order
	// of [simulate.Kinds].
	Rows []Row
	// Encodings has the payloads once more, by encoding.
	Encodings []Row
}

// Class returns the sum of the rows of a class.
func (t *Table) Class(c simulate.Class) Row {
	sum := Row{Kind: simulate.Kind{Class: c}}
	for i := range t.Rows {
		if t.Rows[i].Kind.Class == c {
			sum.add(&t.Rows[i])
		}
	}
	return sum
}

// counts are the rows of one goroutine, by kind and by encoding.
type counts struct{ kinds, encodings map[string]*Row }

func newCounts() counts { return counts{map[string]*Row{}, map[string]*Row{}} }

func (c counts) add(other counts) {
	addRows(c.kinds, other.kinds)
	addRows(c.encodings, other.encodings)
}

func addRows(to, from map[string]*Row) {
	for id, row := range from {
		rowOf(to, row.Kind.Class, id).add(row)
	}
}

// rowOf returns the row of a kind.
func rowOf(rows map[string]*Row, class simulate.Class, id string) *Row {
	row := rows[id]
	if row == nil {
		row = &Row{Kind: simulate.Kind{Class: class, ID: id}}
		rows[id] = row
	}
	return row
}

// pieceRequests is how many requests a goroutine takes at a time.
const pieceRequests = 1024

// Run makes requests and judges them. When the context ends, it returns its error and the table of
// the requests that were judged before.
func Run(ctx context.Context, g *simulate.Generator, engine *inspect.Engine, o Options) (*Table, error) {
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var (
		mu      sync.Mutex
		taken   uint64
		judged  uint64
		all     = newCounts()
		workers sync.WaitGroup
	)
	take := func(done uint64) (first, count uint64) {
		mu.Lock()
		defer mu.Unlock()
		if judged += done; done > 0 && o.Progress != nil {
			o.Progress(judged)
		}
		first, count = o.First+taken, min(pieceRequests, o.Count-taken)
		taken += count
		return first, count
	}
	for range jobs {
		workers.Go(func() {
			own := newCounts()
			worker := engine.NewWorker()
			var body []byte
			for first, count := take(0); count > 0 && ctx.Err() == nil; first, count = take(count) {
				for n := range count {
					var l simulate.Label
					body, l = g.AppendRequest(body[:0], first+n)
					v := worker.Inspect(body, o.Facts)
					own.count(&l, &v)
				}
			}
			worker.Release()
			mu.Lock()
			defer mu.Unlock()
			all.add(own)
		})
	}
	workers.Wait()
	return all.table(), ctx.Err()
}

// count counts the verdict about a request.
func (c counts) count(l *simulate.Label, v *inspect.Verdict) {
	rowOf(c.kinds, l.Class, l.What).count(v)
	if l.How != "" {
		rowOf(c.encodings, l.Class, l.How).count(v)
	}
}

// table puts the rows into their order.
func (c counts) table() *Table {
	t := &Table{}
	if row := c.kinds[""]; row != nil {
		row.Kind.About = "nothing is wrong"
		t.Rows = append(t.Rows, *row)
	}
	for _, k := range simulate.Kinds() {
		if row := c.kinds[k.ID]; row != nil {
			row.Kind = k
			t.Rows = append(t.Rows, *row)
		}
	}
	for _, k := range simulate.Encodings() {
		if row := c.encodings[k.ID]; row != nil {
			row.Kind = k
			t.Encodings = append(t.Encodings, *row)
		}
	}
	return t
}
