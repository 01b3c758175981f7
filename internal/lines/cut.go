package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/rtbwire/rtbwire/internal/compressed"
)

// emptyMax is how often in a row a Read may return nothing.
const emptyMax = 100

// pieces takes what a [cutter] cuts.
type pieces interface {
	// take returns a piece with room to read into, nil if the caller has left.
	take() *piece
	// handOn takes the first bytes of a piece, and returns one that has those that follow, nil if
	// the caller has left.
	handOn(c *piece, end, have int) *piece
}

// cutter reads and cuts lines.
type cutter struct {
	pieces  pieces
	maxLine int
	read    atomic.Int64 // bytes
	readErr error
	ended   bool // cut has returned
	looked  bool // for compressed input
}

// cut reads, and hands on whole lines after each Read: more may not come for a while.
func (k *cutter) cut(ctx context.Context, in io.Reader) {
	defer func() { k.ended = true }()
	c, have, skipping, empty := k.pieces.take(), 0, false, 0
	for c != nil {
		if k.readErr = ctx.Err(); k.readErr != nil {
			return
		}
		n, err := in.Read(c.buf[have:])
		if empty++; n > 0 {
			empty = 0
		} else if err == nil && empty == emptyMax {
			err = io.ErrNoProgress
		}
		k.read.Add(int64(n))
		from := have // nothing before it ends a line
		have += n
		if !k.looked && (have >= compressed.HeadMax || err != nil || bytes.IndexByte(c.buf[:have], '\n') >= 0) {
			k.looked = true
			if k.readErr = refuse(c.buf[:have]); k.readErr != nil {
				return
			}
		}
		if skipping { // the rest of a line that is too long
			end := bytes.IndexByte(c.buf[from:have], '\n')
			skipping = end < 0
			if skipping {
				end = n - 1
			}
			from, have = 0, copy(c.buf, c.buf[from+end+1:have])
		}
		if end := from + bytes.LastIndexByte(c.buf[from:have], '\n') + 1; end > from {
			if c, have = k.pieces.handOn(c, end, have), have-end; c == nil {
				return
			}
		}
		if have > k.maxLine {
			c.tooLong, skipping = true, true
			if c, have = k.pieces.handOn(c, 0, 0), 0; c == nil {
				return
			}
		}
		if err != nil {
			if have > 0 && !skipping && ctx.Err() == nil {
				k.pieces.handOn(c, have, have)
			}
			if !errors.Is(err, io.EOF) {
				k.readErr = err
			}
			return
		}
		if have == len(c.buf) { // a long line
			c.buf = append(c.buf, make([]byte, min(len(c.buf), k.maxLine+1-len(c.buf)+ChunkSize))...)
		}
	}
}

// refuse returns an error if the input begins as compressed data does, and no request can.
func refuse(head []byte) error {
	if by := compressed.By(head); by != "" {
		return fmt.Errorf("%w with %s: inflate it first, with %s -dc", ErrCompressed, by, by)
	}
	return nil
}
