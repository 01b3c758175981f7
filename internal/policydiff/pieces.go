package policydiff

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/rtbwire/rtbwire/batch"
)

// The size of a piece: documents are added until it has as many, or as many bytes.
const (
	pieceBytes     = 256 << 10
	pieceDocuments = 4096
	// piecesPerJob is how many pieces per job may be read and not yet added up.
	piecesPerJob = 4
	// keepMax is the longest text whose memory is kept for the next piece.
	keepMax = 4 * pieceBytes
)

// piece is some documents of one input on their way.
type piece struct {
	input     string
	text      []byte
	documents []document
	ended     *inputEnd // after the last piece of an input, which has no documents

	counts  Counts
	changes []change
	judged  chan struct{}
}

// document is a place in a piece, and the one in the input.
type document struct {
	start, end   int
	line, offset int64
	tooLarge     bool
}

// inputEnd is how an input ended.
type inputEnd struct {
	documents int64
	err       error
}

// pieces go through two channels: todo, from which the first free job takes them, and order, from
// which the caller takes them and waits until they are judged.
type pieces struct {
	o           *Options
	free        chan *piece
	todo, order chan *piece
	quit        chan struct{} // closed when the caller has left
}

func newPieces(o *Options) *pieces {
	n := piecesPerJob * o.Jobs
	p := &pieces{o: o, free: make(chan *piece, n), todo: make(chan *piece, n), order: make(chan *piece, n), quit: make(chan struct{})}
	for range n {
		p.free <- &piece{judged: make(chan struct{}, 1)}
	}
	return p
}

// run adds all inputs up in r, until ctx ends.
func (p *pieces) run(ctx context.Context, inputs []batch.Input, r *Result) error {
	var jobs sync.WaitGroup
	for range p.o.Jobs {
		jobs.Go(p.judge)
	}
	defer jobs.Wait()
	defer close(p.quit)
	go p.read(inputs)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c, more := <-p.order:
			if !more {
				return nil
			}
			if end := c.ended; end != nil {
				if p.o.InputDone != nil {
					p.o.InputDone(c.input, end.documents, end.err)
				}
			} else {
				<-c.judged
				r.add(c)
			}
			p.recycle(c)
		}
	}
}

// judge is one of the jobs.
func (p *pieces) judge() {
	j := newJudge(p.o)
	for {
		select {
		case <-p.quit: // a read may never return
			return
		case c, more := <-p.todo:
			if !more {
				return
			}
			j.piece(c)
			c.judged <- struct{}{}
		}
	}
}

// recycle makes a piece free again.
func (p *pieces) recycle(c *piece) {
	if cap(c.text) > keepMax {
		c.text = nil
	}
	clear(c.changes)
	*c = piece{text: c.text[:0], documents: c.documents[:0], changes: c.changes[:0], judged: c.judged}
	p.free <- c
}

// errLeft ends the reading after the caller has left.
var errLeft = errors.New("policydiff: left")

// read cuts all inputs into pieces.
func (p *pieces) read(inputs []batch.Input) {
	defer close(p.order)
	defer close(p.todo)
	for i := range inputs {
		end := &inputEnd{}
		end.err = p.readInput(&inputs[i], end)
		if errors.Is(end.err, errLeft) {
			return
		}
		c := p.take()
		if c == nil {
			return
		}
		c.input, c.ended = inputs[i].Name, end
		if !p.hand(c, p.order) {
			return
		}
	}
}

// readInput cuts one input.
func (p *pieces) readInput(in *batch.Input, end *inputEnd) error {
	r, err := batch.NewReader(*in, batch.Options{MaxDocument: p.o.MaxDocument, Progress: p.o.Progress})
	if err != nil {
		return err
	}
	defer r.Close()
	var c *piece
	for {
		d, err := r.Next()
		if c != nil && (err != nil || len(c.text)+len(d.Data) > pieceBytes || len(c.documents) == pieceDocuments) {
			if !p.hand(c, p.order) || !p.hand(c, p.todo) {
				return errLeft
			}
			c = nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c == nil {
			if c = p.take(); c == nil {
				return errLeft
			}
			c.input = in.Name
		}
		end.documents++
		at := document{start: len(c.text), line: d.Line, offset: d.Offset, tooLarge: d.TooLarge}
		if !d.TooLarge {
			c.text = append(c.text, d.Data...)
		}
		at.end = len(c.text)
		c.documents = append(c.documents, at)
	}
}

// take returns a free piece, nil if the caller has left.
func (p *pieces) take() *piece {
	select {
	case c := <-p.free:
		return c
	case <-p.quit:
		return nil
	}
}

// hand gives a piece to a queue. It reports false if the caller has left.
func (p *pieces) hand(c *piece, to chan<- *piece) bool {
	select {
	case to <- c:
		return true
	case <-p.quit:
		return false
	}
}
