package main

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"sync"
)

var pooledBuffers = experiment{
	name: "pooled-buffers",
	advice: "Keep encoders and their buffers in a sync.Pool, drop a buffer that has grown too large, and never " +
		"return the buffer's slice: the next one to use the buffer overwrites it.",
	method: "An event written with Marshal, with a new Encoder and buffer, and with pooled ones. Memory is what " +
		"pools keep after eight large documents at once, followed by small ones and collections. Results " +
		"are kept and compared after later ones were written.",
	varies:  "what the pool is for",
	seconds: [2]float64{8, 1.5},
	run: func(t *trial) error {
		e := makeEvent(1)
		capped, unlimited := &bufferPool{limit: 64 << 10}, &bufferPool{limit: 1 << 62}
		m, err := t.compare("an event",
			way{"Marshal, then Write", func() error { return marshalThenWrite(io.Discard, &e) }},
			way{"new buffer and Encoder", into(0, func(b *bytes.Buffer) error {
				if err := json.NewEncoder(b).Encode(&e); err != nil {
					return err
				}
				_, err := io.Discard.Write(b.Bytes())
				return err
			})},
			way{"pooled", func() error { return capped.write(io.Discard, &e) }})
		if err != nil {
			return err
		}
		t.say("what pools keep")
		large := makeEvents(t.pick(20000, 3000, 500))
		var kept [2][]float64
		for range t.pick(5, 3, 1) {
			for i, limit := range []int{64 << 10, 1 << 62} {
				k, err := keptAfterBurst(limit, large)
				if err != nil {
					return err
				}
				kept[i] = append(kept[i], k)
			}
		}
		t.add("kept after 8 large documents: with a cap", estimate(kept[0], "B"))
		t.add("kept after 8 large documents: without", estimate(kept[1], "B"))

		const results = 1000
		changedAliased, err := countChanged(unlimited.encodeAliased, results)
		if err != nil {
			return err
		}
		changedCopied, err := countChanged(unlimited.encodeCopied, results)
		if err != nil {
			return err
		}
		t.add("of 1,000 results, changed later: the buffer's slice returned", count(changedAliased, "results"))
		t.add("of 1,000 results, changed later: a copy returned", count(changedCopied, "results"))

		t.ask("time against Marshal", "pooled / Marshal", ratio(m[2], m[0]), atMost, 0.95)
		t.ask("time against a new Encoder", "pooled / new buffer and Encoder", ratio(m[2], m[1]), atMost, 0.95)
		t.ask("allocation against Marshal", "bytes per event, pooled / Marshal",
			exactly(m[2].bytes/m[0].bytes, ""), atMost, 0.5)
		t.ask("the cap", "memory kept, with a cap / without", ratioOf(kept[0], kept[1]), atMost, 0.1)
		t.ask("never return the slice", "changed results when it is", count(changedAliased, "results"), atLeast, 1)
		t.ask("a copy is safe", "changed results", count(changedCopied, "results"), atMost, 0)
		return nil
	},
}

// bufferPool has buffers, each with an Encoder that writes to it.
type bufferPool struct {
	limit int // a buffer with more capacity does not come back
	pool  sync.Pool
}

type pooledEncoder struct {
	buffer  bytes.Buffer
	encoder *json.Encoder
}

func (p *bufferPool) get() *pooledEncoder {
	if e, ok := p.pool.Get().(*pooledEncoder); ok {
		e.buffer.Reset()
		return e
	}
	e := new(pooledEncoder)
	e.encoder = json.NewEncoder(&e.buffer)
	return e
}

func (p *bufferPool) put(e *pooledEncoder) {
	if e.buffer.Cap() <= p.limit {
		p.pool.Put(e)
	}
}

// write encodes v and writes it while the buffer is still its own.
func (p *bufferPool) write(w io.Writer, v any) error {
	e := p.get()
	defer p.put(e)
	if err := e.encoder.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(e.buffer.Bytes())
	return err
}

// encodeAliased is wrong: its result lies in a buffer that is free for others when it returns.
func (p *bufferPool) encodeAliased(v any) ([]byte, error) {
	e := p.get()
	defer p.put(e)
	err := e.encoder.Encode(v)
	return e.buffer.Bytes(), err
}

// encodeCopied is right, at the price of a copy.
func (p *bufferPool) encodeCopied(v any) ([]byte, error) {
	e := p.get()
	defer p.put(e)
	err := e.encoder.Encode(v)
	return bytes.Clone(e.buffer.Bytes()), err
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
	p := &bufferPool{limit: limit}
	for round := range 5 {
		documents := any(large)
		if round > 0 {
			documents = large[:1]
		}
		var used [8]*pooledEncoder
		for i := range used {
			used[i] = p.get()
			if err := used[i].encoder.Encode(documents); err != nil {
				return 0, err
			}
		}
		for _, e := range used {
			p.put(e)
		}
		runtime.GC()
	}
	kept := max(heapAlloc()-before, heapResolution)
	runtime.KeepAlive(p)
	return kept, nil
}
