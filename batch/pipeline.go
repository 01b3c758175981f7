package batch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
)

// pipeline runs the chunks of many inputs through workers and hands them on in order.
//
// One goroutine reads and cuts, jobs goroutines work, and the caller's goroutine handles.
// Every chunk goes through two channels: todo, from which the first free worker takes it,
// and order, from which the caller takes it and waits until its worker is done.
//
// A worker with more findings than it may keep waits in the middle of its chunk until the caller
// has reached that chunk and handled them. This can't deadlock: both channels have the chunks in
// the same order, so the caller's chunk always has a worker.
type pipeline struct {
	opts    Options
	buffers *buffers
	order   chan *chunk
	todo    chan *chunk
	quit    chan struct{} // closed when the caller has left
	chunks  sync.Pool
}

func newPipeline(opts Options) *pipeline {
	inFlight := chunksPerJob * opts.Jobs
	return &pipeline{
		opts:    opts,
		buffers: newBuffers(opts.ChunkSize, int64(inFlight)*int64(opts.ChunkSize)+2*int64(opts.MaxDocument)),
		order:   make(chan *chunk, inFlight),
		todo:    make(chan *chunk, inFlight),
		quit:    make(chan struct{}),
		chunks:  sync.Pool{New: func() any { return &chunk{more: make(chan bool, 2), goOn: make(chan struct{}, 1)} }},
	}
}

// worker checks a chunk. It calls handOver to have its results so far handled, and stops early
// if that returns false.
type worker func(c *chunk, handOver func() bool)

// run calls handle for every chunk, and idle whenever it is about to wait for one. A chunk
// whose worker hands over is handled in parts: last is false for all but the last of them.
// newWorker is called once per job. run returns when all inputs are handled, or early with the
// error of handle, of idle or of ctx; then a call of an input's Read may still be running.
func (p *pipeline) run(ctx context.Context, inputs []Input, newWorker func() worker, handle func(c *chunk, last bool) error, idle func() error) error {
	var workers sync.WaitGroup
	for range p.opts.Jobs {
		workers.Go(func() { p.work(newWorker()) })
	}
	go p.read(inputs)
	defer workers.Wait()
	defer p.buffers.stop()
	defer close(p.quit)
	for {
		c, err := p.receive(ctx, idle)
		if c == nil || err != nil {
			return err
		}
		for more := true; more; {
			more = <-c.more
			if err := handle(c, !more); err != nil {
				return err
			}
			if more {
				c.goOn <- struct{}{}
			}
		}
		if c.buf != nil {
			p.buffers.put(c.buf)
		}
		c.buf, c.data, c.ended = nil, nil, nil
		p.chunks.Put(c)
	}
}

// receive returns the next chunk, nil after the last.
func (p *pipeline) receive(ctx context.Context, idle func() error) (*chunk, error) {
	if len(p.order) == 0 {
		if err := idle(); err != nil {
			return nil, err
		}
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case c, more := <-p.order:
		if !more {
			return nil, nil
		}
		return c, nil
	}
}

// work runs a worker until there are no more chunks.
func (p *pipeline) work(f worker) {
	for {
		select {
		case <-p.quit:
			return
		case c, more := <-p.todo:
			if !more {
				return
			}
			f(c, func() bool {
				c.more <- true
				select {
				case <-c.goOn:
					return true
				case <-p.quit:
					return false
				}
			})
			c.more <- false
		}
	}
}

// read cuts all inputs.
func (p *pipeline) read(inputs []Input) {
	defer close(p.order)
	defer close(p.todo)
	for i := range inputs {
		ended := &InputStats{Name: inputs[i].Name}
		ended.Err = p.readInput(&inputs[i], ended)
		last := p.chunks.Get().(*chunk)
		last.ended = ended
		last.more <- false
		select {
		case p.order <- last:
		case <-p.quit:
			return
		}
	}
}

// readInput cuts one input and fills in its statistics.
func (p *pipeline) readInput(in *Input, stats *InputStats) error {
	s, err := openSource(in, p.opts, p.buffers)
	if err != nil {
		return err
	}
	defer s.close()
	defer func() { stats.Encoding, stats.Layout, stats.Read, stats.Bytes = s.encoding, s.layout, s.raw.n, s.total }()
	for {
		c := p.chunks.Get().(*chunk)
		if err := s.next(c); err != nil {
			p.chunks.Put(c)
			if err == io.EOF {
				return nil
			}
			return cause(err)
		}
		c.name = in.Name
		for _, queue := range [...]chan *chunk{p.order, p.todo} {
			select {
			case queue <- c:
			case <-p.quit:
				return errStopped
			}
		}
	}
}

// cause removes the file's name from an error: the input's name is printed before it anyway.
func cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) && !errors.Is(err, ErrCorrupt) {
		return path.Err
	}
	return err
}

// source is an input that is being read.
type source struct {
	chunker
	encoding Encoding
	raw      *progressReader
	closers  []func()
}

// openSource opens an input. The caller closes what it returns.
func openSource(in *Input, opts Options, buffers *buffers) (*source, error) {
	file, err := in.Open()
	if err != nil {
		return nil, cause(err)
	}
	progress := opts.Progress
	if progress == nil {
		progress = new(Progress)
	}
	s := &source{raw: &progressReader{r: file, p: progress}}
	text, encoding, skipped, closeDecoder, err := decompress(s.raw, in.Name)
	if err != nil {
		_ = file.Close() // the other error is the one to know
		return nil, cause(err)
	}
	s.encoding = encoding
	s.closers = []func(){closeDecoder, func() { _ = file.Close() }} // it was only read
	s.chunker = chunker{
		r: text, live: in.Live, layout: opts.Layout, max: opts.MaxDocument, buffers: buffers,
		offset: skipped, total: skipped, values: valueSplitter{start: -1},
	}
	return s, nil
}

func (s *source) close() {
	s.chunker.close()
	for _, f := range s.closers {
		f()
	}
}
