package batch

import (
	"bytes"
	"io"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// chunk is a piece of an input: whole documents and the text between them.
type chunk struct {
	data   []byte // the piece; part of buf
	buf    []byte
	offset int64  // of data in the decompressed input
	byLine bool   // every line of data is a document; otherwise spans lists them
	spans  []span // offsets in data

	name    string        // of the input
	checked checked       // a worker's results
	ended   *InputStats   // set on the last chunk of an input, which has no data
	more    chan bool     // receives when checked is ready, and whether the worker goes on after it
	goOn    chan struct{} // receives when checked has been handled
}

// each calls f for every document, in order, and counts blank lines. large tells that
// the document exceeds max.
func (c *chunk) each(max int, f func(start, end int, large bool)) (blank int64) {
	if !c.byLine {
		for _, s := range c.spans {
			f(s.start, s.end, s.large || s.end-s.start > max)
		}
		return 0
	}
	for at := 0; at < len(c.data); {
		end := len(c.data)
		if i := bytes.IndexByte(c.data[at:], '\n'); i >= 0 {
			end = at + i
		}
		if start, stop := trim(c.data, at, end); start < stop {
			f(start, stop, stop-start > max)
		} else {
			blank++
		}
		at = end + 1
	}
	return blank
}

// trim returns text[start:end] without white space around it, as offsets.
func trim(text []byte, start, end int) (int, int) {
	for start < end && grammar.IsSpace(text[start]) {
		start++
	}
	for start < end && grammar.IsSpace(text[end-1]) {
		end--
	}
	return start, end
}

// chunker cuts one input into chunks.
//
// Invariants: 0 ≤ scanned ≤ n ≤ len(buf); buf[:n] is read and not handed out; no document
// ends in buf[:scanned] unless it is in spans.
type chunker struct {
	r       io.Reader
	live    bool // hand out documents at once instead of waiting for a full buffer
	layout  Layout
	max     int // the largest document
	buffers *buffers

	buf      []byte
	n        int
	scanned  int
	offset   int64 // of buf[0] in the input
	total    int64 // bytes of the input that were read
	err      error // what reading ended with
	byLine   bool  // the next chunk is cut by its lines
	skipping bool  // in a line that was given up
	values   valueSplitter
	spans    []span
}

// next fills in the data of c. It returns io.EOF after the last chunk, and any other error
// of the input once everything complete has been handed out.
func (k *chunker) next(c *chunk) error {
	if k.buf == nil && k.err == nil {
		buf, err := k.buffers.get(0, 0)
		if err != nil {
			return err
		}
		k.buf, k.values.start = buf, -1
	}
	for {
		// Waiting for a full buffer makes fewer chunks, so most inputs are not live.
		if k.live || k.n == len(k.buf) || k.err != nil {
			if end := k.cut(); end > 0 || len(k.spans) > 0 {
				return k.take(c, end)
			}
			if k.err != nil {
				k.close()
				return k.err
			}
		}
		if k.n == len(k.buf) {
			if err := k.grow(); err != nil {
				return err
			}
		}
		k.read()
	}
}

// close gives the buffer back.
func (k *chunker) close() {
	if k.buf != nil {
		k.buffers.put(k.buf)
		k.buf, k.n, k.scanned = nil, 0, 0
	}
}

// emptyReadsMax is how often in a row a reader may return nothing.
const emptyReadsMax = 100

// read adds to buf what one call of Read returns.
func (k *chunker) read() {
	for range emptyReadsMax {
		n, err := k.r.Read(k.buf[k.n:])
		k.n, k.total, k.err = k.n+n, k.total+int64(n), err
		if n > 0 || err != nil {
			return
		}
	}
	k.err = io.ErrNoProgress
}

// grow makes room in buf: twice as much, but at most the largest document and a chunk.
func (k *chunker) grow() error {
	size := max(len(k.buf)+1, min(2*len(k.buf), k.max+k.buffers.size))
	bigger, err := k.buffers.get(size, len(k.buf))
	if err != nil {
		return err
	}
	copy(bigger, k.buf[:k.n])
	k.buffers.put(k.buf)
	k.buf = bigger
	return nil
}

// take hands out buf[:end] in c and keeps the rest in a new buffer.
func (k *chunker) take(c *chunk, end int) error {
	rest := k.buf[end:k.n]
	fresh, err := k.buffers.get(len(rest), len(k.buf))
	if err != nil {
		return err
	}
	copy(fresh, rest)
	c.buf, c.data, c.offset, c.byLine = k.buf, k.buf[:end], k.offset, k.byLine
	c.spans, k.spans = append(c.spans[:0], k.spans...), k.spans[:0]
	k.buf, k.n, k.scanned, k.offset = fresh, len(rest), max(0, k.scanned-end), k.offset+int64(end)
	if k.values.start >= 0 {
		k.values.start = max(0, k.values.start-end) // 0 if it is being skipped
	}
	return nil
}

// detectWindow is how much of an input is read to detect its layout, in bytes.
const detectWindow = 256 << 10

// cut returns the length of the next chunk, 0 if it needs more text.
func (k *chunker) cut() int {
	if k.layout == LayoutAuto {
		k.layout = detectLayout(k.buf[:k.n], k.err != nil || k.n >= detectWindow)
	}
	switch k.layout {
	case LayoutLines:
		return k.cutLines()
	case LayoutValues:
		return k.cutValues()
	}
	return 0
}

func (k *chunker) cutLines() int {
	text, from := k.buf[:k.n], k.scanned
	k.byLine, k.scanned = !k.skipping, k.n
	if k.skipping {
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			k.skipping = false
			return i + 1
		}
		return k.n
	}
	if i := bytes.LastIndexByte(text[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	if k.err == io.EOF {
		return k.n
	}
	if start, end := trim(text, 0, k.n); end-start > k.max {
		k.spans = append(k.spans, span{start, end, true})
		k.byLine, k.skipping = false, true
		return k.n
	}
	return 0
}

func (k *chunker) cutValues() int {
	text, final, v := k.buf[:k.n], k.err == io.EOF, &k.values
	k.byLine = false
	k.spans, k.scanned = v.scan(text, k.scanned, final, k.spans)
	if len(k.spans) >= spansMax {
		return k.before()
	}
	for final || k.tooLarge() {
		var next int
		if k.spans, next = v.recut(text, k.spans); next < 0 {
			break
		}
		k.spans, k.scanned = v.scan(text, next, final, k.spans)
	}
	switch {
	case final:
		k.spans = v.finish(text, k.spans)
		return k.n
	case k.tooLarge():
		k.spans = append(k.spans, span{v.start, k.scanned, true})
		v.skipping = true
		return k.scanned
	}
	return k.before()
}

// before returns the end of a chunk that ends before the document in progress. A document that
// is being skipped need not be kept.
func (k *chunker) before() int {
	if k.values.start >= 0 && !k.values.skipping {
		return k.values.start
	}
	return k.scanned
}

// tooLarge reports whether the document in progress exceeds the limit.
func (k *chunker) tooLarge() bool {
	return k.values.start >= 0 && !k.values.skipping && k.scanned-k.values.start > k.max
}
