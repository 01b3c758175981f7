package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
)

// poolCap is the section's: larger buffers do not go back to a pool.
const poolCap = 64 << 10

// bufferPool has buffers for encoders, as section 4 has them.
type bufferPool struct {
	limit      int // a buffer with more capacity does not come back
	escapeHTML bool
	pool       sync.Pool
}

func newBufferPool(limit int) *bufferPool {
	return &bufferPool{limit: limit, pool: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// with encodes v into a buffer and hands it to use before it goes back.
func (p *bufferPool) with(v any, use func(b *bytes.Buffer)) error {
	b := p.pool.Get().(*bytes.Buffer)
	b.Reset()
	defer func() {
		if b.Cap() <= p.limit {
			p.pool.Put(b)
		}
	}()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(p.escapeHTML)
	if err := e.Encode(v); err != nil {
		return err
	}
	use(b)
	return nil
}

// encode is the section's function: the result is a copy.
func (p *bufferPool) encode(v any) (out []byte, err error) {
	err = p.with(v, func(b *bytes.Buffer) { out = bytes.Clone(b.Bytes()) })
	return out, err
}

// encodeAliased is what the section warns of: its result lies in a buffer that is free for others
// when it returns.
func (p *bufferPool) encodeAliased(v any) (out []byte, err error) {
	err = p.with(v, func(b *bytes.Buffer) { out = b.Bytes() })
	return out, err
}

// encodeTo writes the result while the buffer is still its own.
func (p *bufferPool) encodeTo(w io.Writer, v any) (err error) {
	var failed error
	err = p.with(v, func(b *bytes.Buffer) { _, failed = w.Write(b.Bytes()) })
	if err == nil {
		err = failed
	}
	return err
}

// discard hides io.Discard's other methods, so that all of them are written to alike.
var discard io.Writer = struct{ io.Writer }{io.Discard}

// encoderPool has buffers, each with its Encoder.
type encoderPool struct{ pool sync.Pool }

type pooledEncoder struct {
	buffer  bytes.Buffer
	encoder *json.Encoder
}

func newEncoderPool() *encoderPool {
	return &encoderPool{sync.Pool{New: func() any {
		e := new(pooledEncoder)
		e.encoder = json.NewEncoder(&e.buffer)
		e.encoder.SetEscapeHTML(false)
		return e
	}}}
}

func (p *encoderPool) encode(v any) ([]byte, error) {
	e := p.pool.Get().(*pooledEncoder)
	e.buffer.Reset()
	defer p.pool.Put(e)
	if err := e.encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(e.buffer.Bytes()), nil
}

// encodeUnpooled does the same with a new buffer and Encoder.
func encodeUnpooled(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Bytes()), nil
}

// decoderPool has Decoders. A Decoder has no way to get another reader, so that each has one whose
// source is replaced.
type decoderPool struct{ pool sync.Pool }

type pooledDecoder struct {
	source  bytes.Reader
	decoder *json.Decoder
}

func newDecoderPool() *decoderPool {
	return &decoderPool{sync.Pool{New: func() any {
		d := new(pooledDecoder)
		d.decoder = json.NewDecoder(&d.source)
		return d
	}}}
}

// decode reads one value of a body, as handlers do.
func (p *decoderPool) decode(body []byte) (u user, err error) {
	d := p.pool.Get().(*pooledDecoder)
	defer p.pool.Put(d)
	d.source.Reset(body)
	err = d.decoder.Decode(&u)
	return u, err
}

func decodeNew() error { return json.NewDecoder(strings.NewReader(userText)).Decode(new(user)) }

// leftOverServed sends bodies of two values each to a pooled Decoder and counts those that are
// answered with what was left of the one before.
func leftOverServed(n int) (served int, err error) {
	p := newDecoderPool()
	for i := range n {
		body := fmt.Sprintf(`{"id":%d} {"id":%d,"admin":true}`, 2*i, 2*i+1)
		u, err := p.decode([]byte(body))
		if err != nil {
			return 0, err
		}
		if u.ID != 2*i {
			served++
		}
	}
	return served, nil
}

// refusedAfterBad sends a bad body to a pooled Decoder and counts the good ones after it that it
// refuses.
func refusedAfterBad(n int) (refused int) {
	p := newDecoderPool()
	_, _ = p.decode([]byte(`{"id":1,]`))
	for range n {
		if _, err := p.decode([]byte(userText)); err != nil {
			refused++
		}
	}
	return refused
}

// htmlText is about 1 kB of the kind of text that is escaped.
var htmlText = strings.Repeat(`<a href="/news?a=1&b=2">news</a> `, 30)

var keepOthers [10][]byte

// amidOthers makes ten other allocations of a small document's size, as the rest of a handler does.
func amidOthers(do func() error) func() error {
	return func() error {
		for i := range keepOthers {
			keepOthers[i] = make([]byte, 96)
		}
		return do()
	}
}

// countChanged counts the results that are others once more have been made.
func countChanged(encode func(v any) ([]byte, error), n int) (changed int, err error) {
	results, want := make([][]byte, n), make([]string, n)
	for i := range n {
		if results[i], err = encode(makeEvent(i)); err != nil {
			return 0, err
		}
		want[i] = string(results[i])
	}
	for i, r := range results {
		if string(r) != want[i] {
			changed++
		}
	}
	return changed, nil
}

// keptAfterBurst uses eight buffers at once for large documents, then for small ones between
// collections, and returns what memory stays in use.
func keptAfterBurst(limit int, large []event) (float64, error) {
	before := settledHeap()
	p := newBufferPool(limit)
	for round := range 5 {
		documents := any(large)
		if round > 0 {
			documents = large[:1]
		}
		if err := p.nested(documents, 8); err != nil {
			return 0, err
		}
		runtime.GC()
	}
	kept := max(heapAlloc()-before, heapResolution)
	runtime.KeepAlive(p)
	return kept, nil
}

// nested has so many buffers in use at once.
func (p *bufferPool) nested(v any, depth int) error {
	if depth == 0 {
		return nil
	}
	var inner error
	err := p.with(v, func(*bytes.Buffer) { inner = p.nested(v, depth-1) })
	if err == nil {
		err = inner
	}
	return err
}
