package simulate

import (
	"context"
	"io"
	"runtime"
	"sync"
)

// Endless is a count that no run reaches: requests are made until the context ends.
const Endless = ^uint64(0)

// Output says which requests are written, and where to.
type Output struct {
	// Requests gets one request a line, Labels the label of each on a line of its own. Either may
	// be nil.
	Requests, Labels io.Writer
	// First is the number of the first request, and Count how many there are.
	First, Count uint64
	// Jobs is how many goroutines make requests, by default one for each core.
	Jobs int
	// Progress is called after each write with the number of requests so far. Default: none.
	Progress func(requests uint64)
}

// Written counts what was written.
type Written struct {
	Requests, Bytes uint64
	Classes         [classCount]uint64 // requests by class
}

// pieceRequests is how many requests are made and written together. Memory holds two such pieces
// for each job.
const pieceRequests = 256

// piece is some requests in a row.
type piece struct {
	first            uint64
	count            int
	requests, labels []byte
	classes          [classCount]uint64
	ready            chan struct{}
}

// Write writes requests in their order; goroutines make them. After an error of a writer, or when
// the context ends, it returns that error and what was written before.
func (g *Generator) Write(ctx context.Context, o Output) (done Written, err error) {
	jobs := o.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	ring := make([]*piece, 2*jobs)
	work := make(chan *piece, len(ring))
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for p := range work {
				p.fill(g, &o)
				p.ready <- struct{}{}
			}
		})
	}
	defer workers.Wait()
	defer close(work)

	asked := uint64(0) // requests that goroutines were asked to make
	ask := func(p *piece) {
		p.count = int(min(pieceRequests, o.Count-asked))
		p.first = o.First + asked
		asked += uint64(p.count)
		if p.count > 0 {
			work <- p
		}
	}
	for i := range ring {
		ring[i] = &piece{ready: make(chan struct{}, 1)}
		ask(ring[i])
	}
	for i := 0; done.Requests < o.Count; i = (i + 1) % len(ring) {
		p := ring[i]
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-p.ready:
		}
		if err := p.write(&o); err != nil {
			return done, err
		}
		done.add(p)
		if o.Progress != nil {
			o.Progress(done.Requests)
		}
		ask(p)
	}
	return done, nil
}

// fill makes the requests and labels that the output wants.
func (p *piece) fill(g *Generator, o *Output) {
	p.requests, p.labels, p.classes = p.requests[:0], p.labels[:0], [classCount]uint64{}
	for n := range uint64(p.count) {
		var l Label
		p.requests, l = g.AppendRequest(p.requests, p.first+n)
		p.requests = append(p.requests, '\n')
		if o.Labels != nil {
			p.labels = append(l.AppendJSON(p.labels), '\n')
		}
		p.classes[l.Class]++
	}
}

func (p *piece) write(o *Output) error {
	if o.Requests != nil {
		if _, err := o.Requests.Write(p.requests); err != nil {
			return err
		}
	}
	if o.Labels != nil {
		if _, err := o.Labels.Write(p.labels); err != nil {
			return err
		}
	}
	return nil
}

func (w *Written) add(p *piece) {
	w.Requests += uint64(p.count)
	w.Bytes += uint64(len(p.requests))
	for c, n := range p.classes {
		w.Classes[c] += n
	}
}
