package lines

import (
	"context"
	"io"
	"sync"
)

// piece is some lines on their way: read, judged by one of the jobs, written in order.
type piece struct {
	buf     []byte // with room to read into
	text    []byte // whole lines, the last of which may lack its end
	tooLong bool   // a line that was not kept, in place of text
	out     []byte
	judged  chan struct{}
}

// keepMax is the size of the largest buffer that is kept for the next piece.
const keepMax = 4 * ChunkSize

// pipeline has one goroutine that reads, jobs that judge, and the caller's, which writes. A piece
// goes through two channels: todo, from which the first free job takes it, and order, from which
// the caller takes it and waits until it is judged.
type pipeline struct {
	cutter                  // its results are there when order is closed
	free        chan *piece // those in no other place
	todo, order chan *piece
	quit        chan struct{} // closed when the caller has left
	judges      []*judge
}

func newPipeline(o *Options) *pipeline {
	n := chunksPerJob * o.Jobs
	p := &pipeline{
		cutter: cutter{maxLine: o.MaxLine}, free: make(chan *piece, n), todo: make(chan *piece, n), order: make(chan *piece, n), quit: make(chan struct{}),
	}
	p.cutter.pieces = p
	for range n {
		p.free <- &piece{judged: make(chan struct{}, 1)}
	}
	for range o.Jobs {
		p.judges = append(p.judges, newJudge(o))
	}
	return p
}

func (p *pipeline) run(ctx context.Context, out io.Writer, in io.Reader) (stats Stats, err error) {
	var jobs sync.WaitGroup
	for _, j := range p.judges {
		jobs.Go(func() { p.judge(j) })
	}
	go func() {
		defer close(p.order)
		defer close(p.todo)
		p.cut(ctx, in)
	}()
	err = p.write(ctx, out, &stats.Written)
	close(p.quit)
	jobs.Wait()
	for _, j := range p.judges {
		stats.Lines += j.stats.Lines
		stats.Forwarded += j.stats.Forwarded
		stats.Refused += j.stats.Refused
	}
	stats.Read = p.read.Load()
	return stats, err
}

// write writes pieces in order, until the input ends, or ctx does and nothing is left that was
// read before.
func (p *pipeline) write(ctx context.Context, out io.Writer, written *int64) error {
	for {
		var c *piece
		var more bool
		select {
		case c, more = <-p.order:
		default:
			select {
			case c, more = <-p.order:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if !more {
			return p.readErr
		}
		<-c.judged
		n, err := out.Write(c.out)
		*written += int64(n)
		if err != nil {
			return err
		}
		p.recycle(c)
	}
}

// judge is one of the jobs.
func (p *pipeline) judge(j *judge) {
	for {
		select {
		case <-p.quit:
			return
		case c, more := <-p.todo:
			if !more {
				return
			}
			if c.tooLong {
				c.out = j.tooLong(c.out[:0])
			} else {
				c.out = j.lines(c.out[:0], c.text)
			}
			c.judged <- struct{}{}
		}
	}
}

// recycle makes a piece free again.
func (p *pipeline) recycle(c *piece) {
	if cap(c.buf) > keepMax {
		c.buf = nil
	}
	if cap(c.out) > keepMax {
		c.out = nil
	}
	c.text, c.tooLong = nil, false
	p.free <- c
}

// hand gives a piece to the jobs and the caller. It reports false if the caller has left.
func (p *pipeline) hand(c *piece) bool {
	for _, queue := range [...]chan *piece{p.order, p.todo} {
		select {
		case queue <- c:
		case <-p.quit:
			return false
		}
	}
	return true
}

// take returns a free piece, nil if the caller has left.
func (p *pipeline) take() *piece {
	select {
	case c := <-p.free:
		if c.buf == nil {
			c.buf = make([]byte, ChunkSize)
		}
		return c
	case <-p.quit:
		return nil
	}
}

// handOn hands on the first bytes of a piece, and returns another one with those that follow.
func (p *pipeline) handOn(c *piece, end, have int) *piece {
	next := p.take()
	if next == nil {
		return nil
	}
	if rest := have - end; rest >= len(next.buf) {
		next.buf = make([]byte, rest+ChunkSize)
	}
	copy(next.buf, c.buf[end:have])
	c.text = c.buf[:end]
	if !p.hand(c) {
		return nil
	}
	return next
}
