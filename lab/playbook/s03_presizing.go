package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var preSizing = experiment{
	section: 3, name: "pre-sizing", title: "Pre-sizing output buffers",
	says: "Marshal grows a buffer: a document of 64 KiB passes through about five. A buffer with room from the start saves the " +
		"copies. An Encoder on a file needs no buffer at all: the peak of memory is one field, where Marshal and Write hold it all.",
	method: "Encode into a buffer that grows, into one of 4,096 bytes and into one with room for all: the struct of six fields " +
		"and 64 KiB of events, in one Encode or one for each event. For the peak, an array of 100 MB (quick: 10 MB) " +
		"written to a file in three ways.",
	cases: []label{
		{"small-marshal", "the struct, Marshal"},
		{"small-growing", "the struct, into an empty buffer"},
		{"small-4096", "the struct, into make([]byte, 0, 4096), as in the section"},
		{"marshal", "64 KiB, Marshal"},
		{"growing", "64 KiB, one Encode into an empty buffer"},
		{"pre-sized-4096", "64 KiB, one Encode into make([]byte, 0, 4096)"},
		{"pre-sized", "64 KiB, one Encode after Grow(size)"},
		{"each-growing", "64 KiB, an Encode for each event, into an empty buffer"},
		{"each-pre-sized", "64 KiB, an Encode for each event, after Grow(size)"},
	},
	values: []label{
		{"growth-64k/buffers", "buffers of a bytes.Buffer that gets 64 KiB in small pieces"},
		{"cold-marshal/allocs", "Marshal of 64 KiB, allocations when the package's pool is empty"},
		{"small-4096/over-small-growing", "the struct: time of 4,096 bytes / growing"},
		{"pre-sized/over-growing", "64 KiB in one Encode: time of pre-sized / growing"},
		{"pre-sized/over-marshal", "64 KiB in one Encode: time of pre-sized / Marshal"},
		{"pre-sized-4096/over-growing", "64 KiB in one Encode: time of 4,096 bytes / growing"},
		{"each-pre-sized/over-each-growing", "an Encode for each event: time of pre-sized / growing"},
		{"each-pre-sized/bytes-over-each-growing", "an Encode for each event: bytes allocated, pre-sized / growing"},
		{"document/bytes", "the file"},
		{"marshal-to-file/peak", "Marshal and Write: peak of the heap"},
		{"encoder-to-file/peak", "one Encode to the file: peak of the heap"},
		{"each-to-file/peak", "an Encode for each element: peak of the heap"},
		{"marshal-to-file/peak-of-document", "Marshal and Write: peak / size of the file"},
		{"encoder-to-file/peak-of-document", "one Encode to the file: peak / size of the file"},
		{"each-to-file/peak-of-document", "an Encode for each element: peak / size of the file"},
	},
	keys: []string{
		"growth-64k/buffers", "marshal/allocs", "pre-sized/over-growing", "each-pre-sized/over-each-growing",
		"marshal-to-file/peak-of-document", "encoder-to-file/peak-of-document", "each-to-file/peak-of-document",
	},
	claims: []claim{
		{"64 KiB pass through about five buffers (4 to 6)", "you write 64 KiB into an empty bytes.Buffer in small pieces", "growth-64k/buffers", between(4, 6)},
		{"Marshal of 64 KiB allocates them (4 or more)", "you call Marshal again and again", "marshal/allocs", atLeast(4)},
		{"Marshal of 64 KiB allocates them (4 or more)", "you call Marshal so rarely that its pool is empty", "cold-marshal/allocs", atLeast(4)},
		{"pre-sizing is faster (10% or more)", "you pre-size for one small Encode", "small-4096/over-small-growing", atMost(0.9)},
		{"pre-sizing is faster (10% or more)", "you pre-size for one large Encode", "pre-sized/over-growing", atMost(0.9)},
		{"pre-sizing is faster (10% or more)", "many Encodes go into one buffer", "each-pre-sized/over-each-growing", atMost(0.9)},
		{"Marshal and Write hold the whole document", "you Marshal a large slice and write it", "marshal-to-file/peak-of-document", atLeast(0.9)},
		{"an Encoder holds one field (a tenth of the document at most)", "you Encode a large slice at once", "encoder-to-file/peak-of-document", atMost(0.1)},
		{"an Encoder holds one field (a tenth of the document at most)", "you Encode a large slice element by element", "each-to-file/peak-of-document", atMost(0.1)},
	},
	seconds: [2]float64{30, 4},
	run: func(t *trial) error {
		events, err := eventsOfSize(t.pick(64<<10, 64<<10, 2<<10))
		if err != nil {
			return err
		}
		text, err := json.Marshal(events)
		if err != nil {
			return err
		}
		whole := func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(events) }
		each := func(b *bytes.Buffer) error {
			e := json.NewEncoder(b)
			for i := range events {
				if err := e.Encode(&events[i]); err != nil {
					return err
				}
			}
			return nil
		}
		small := func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(someUser) }
		room := len(text) + len(events) // the Encoder ends each value with a newline
		for _, group := range [][]way{
			{
				{name: "small-marshal", do: func() error { _, err := json.Marshal(someUser); return err }},
				{name: "small-growing", do: into(0, small)}, {name: "small-4096", do: into(4096, small)},
			}, {
				marshal("marshal", events), {name: "growing", do: into(0, whole)},
				{name: "pre-sized-4096", do: into(4096, whole)}, {name: "pre-sized", do: into(room, whole)},
			}, {
				{name: "each-growing", do: into(0, each)}, {name: "each-pre-sized", do: into(room, each)},
			},
		} {
			if err := t.compare(group...); err != nil {
				return err
			}
		}
		for _, pair := range [][2]string{
			{"small-4096", "small-growing"}, {"pre-sized", "growing"}, {"pre-sized", "marshal"}, {"pre-sized-4096", "growing"},
			{"each-pre-sized", "each-growing"},
		} {
			t.over(pair[0], pair[1])
		}
		t.bytesOver("each-pre-sized", "each-growing")
		t.set("growth-64k/buffers", figures.Exactly(buffersGrown(len(text)), "buffers"))
		cold, err := coldAllocs(events, t.rounds)
		if err != nil {
			return err
		}
		t.set("cold-marshal/allocs", median(cold, "allocs"))
		return t.exportPeaks()
	},
}

// into writes to a new buffer with room for size bytes.
func into(size int, write func(*bytes.Buffer) error) func() error {
	return func() error { return write(bytes.NewBuffer(make([]byte, 0, size))) }
}

// buffersGrown counts the buffers that a bytes.Buffer has had when so much was written in pieces
// of some ten bytes, as encoding/json writes.
func buffersGrown(size int) (buffers float64) {
	var b bytes.Buffer
	for last := 0; b.Len() < size; {
		b.WriteString(`"page":"abcdefgh"`)
		if b.Cap() != last {
			last = b.Cap()
			buffers++
		}
	}
	return buffers
}

// coldAllocs counts the allocations of Marshal after the collector has emptied the package's pool.
func coldAllocs(v any, rounds int) ([]float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var out []float64
	for range rounds {
		settledHeap()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := json.Marshal(v)
		runtime.ReadMemStats(&after)
		if err != nil {
			return nil, err
		}
		out = append(out, float64(after.Mallocs-before.Mallocs))
	}
	return out, nil
}

// exportPeaks writes a large array to a file.
func (t *trial) exportPeaks() (err error) {
	events, err := eventsOfSize(t.pick(100e6, 10e6, 20e3))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "export-*.json")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	again := func(write func(w io.Writer, events []event) error) func() error {
		return func() error {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			return write(f, events)
		}
	}
	found, err := t.peaks(t.pick(3, 1, 1),
		way{name: "marshal-to-file", do: again(marshalThenWrite)},
		way{name: "encoder-to-file", do: again(func(w io.Writer, events []event) error { return json.NewEncoder(w).Encode(events) })},
		way{name: "each-to-file", do: again(encodeEach)})
	if err != nil {
		return err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	t.set("document/bytes", figures.Exactly(float64(size), "B"))
	for name, rounds := range found {
		t.set(name+"/peak-of-document", share(median(rounds, "").Value, float64(size)))
	}
	return nil
}

func marshalThenWrite(w io.Writer, events []event) error {
	text, err := json.Marshal(events)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// encodeEach writes an array whose elements are encoded one at a time.
func encodeEach(w io.Writer, events []event) error {
	e := json.NewEncoder(w)
	separator := "["
	for i := range events {
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if err := e.Encode(&events[i]); err != nil {
			return err
		}
		separator = ","
	}
	_, err := io.WriteString(w, "]")
	return err
}
