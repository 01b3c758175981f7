package lines

import (
	"context"
	"errors"
	"io"
	"sync"
)

// alone is what one job takes: one goroutine that reads, judges and writes, in turns. The other
// programs of a pipe work meanwhile, and what they send is read at once afterwards, so pieces grow
// with the load. Handing pieces from goroutine to goroutine costs more than it gains where all
// cores are busy, as they are when an engine runs one filter for each core.
type alone struct {
	cutter
	judge *judge
	piece piece
	out   io.Writer

	busy     sync.Mutex // held but during Read
	left     bool       // the caller has left
	written  int64
	writeErr error
}

// errLeft ends the goroutine after the caller has left.
var errLeft = errors.New("lines: left")

func runAlone(ctx context.Context, o *Options, out io.Writer, in io.Reader) (Stats, error) {
	a := &alone{cutter: cutter{maxLine: o.MaxLine}, judge: newJudge(o), out: out}
	a.cutter.pieces = a
	a.piece.buf = make([]byte, ChunkSize)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.busy.Lock()
		defer a.busy.Unlock()
		a.cut(ctx, whileIdle{a, in})
	}()
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	a.busy.Lock() // what was read is written
	defer a.busy.Unlock()
	a.left = true
	stats := a.judge.stats
	stats.Read, stats.Written = a.read.Load(), a.written
	switch {
	case a.writeErr != nil:
		err = a.writeErr
	case a.ended:
		err = a.readErr
	}
	return stats, err
}

// whileIdle is the input. Only a Read leaves the caller time to go.
type whileIdle struct {
	*alone
	in io.Reader
}

func (w whileIdle) Read(buf []byte) (int, error) {
	w.busy.Unlock()
	n, err := w.in.Read(buf)
	w.busy.Lock()
	if w.left {
		return 0, errLeft
	}
	return n, err
}

func (a *alone) take() *piece { return &a.piece }

// handOn judges and writes the first bytes of the piece, and moves those that follow to its
// beginning.
func (a *alone) handOn(c *piece, end, have int) *piece {
	if c.tooLong {
		c.out, c.tooLong = a.judge.tooLong(c.out[:0]), false
	} else {
		c.out = a.judge.lines(c.out[:0], c.buf[:end])
	}
	n, err := a.out.Write(c.out)
	if a.written += int64(n); err != nil {
		a.writeErr = err
		return nil
	}
	rest := c.buf[end:have]
	if len(c.buf) > keepMax && len(rest) < ChunkSize {
		c.buf = make([]byte, ChunkSize)
	}
	copy(c.buf, rest)
	if cap(c.out) > keepMax {
		c.out = nil
	}
	return c
}
