package main

import (
	"encoding/json"
	"io"
	"runtime"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var streamOrBatch = experiment{
	section: 6, name: "stream-or-batch", title: "Streaming vs batch memory profile",
	says: "Writing a slice of a million records of 200 bytes with Marshal doubles the memory that the slice takes. An Encode for each " +
		"record adds a few KiB, and rows that come from a cursor are written in constant memory.",
	method: "A million records (quick: 50,000) of three fields, about 200 bytes of memory each, written as the section does; four million rows (quick: 1.2 million). The " +
		"peak is what the heap has above its start, when the slice is there; nothing keeps the text. Time with 1,000 of them.",
	cases: []label{
		{"batch", "1,000 records, Marshal and Write"},
		{"stream", "1,000 records, an Encode for each, by value as in the section"},
		{"stream-pointers", "1,000 records, an Encode for each, by pointer"},
	},
	values: []label{
		{"slice/bytes", "memory of the slice"},
		{"text/bytes", "the text"},
		{"batch/peak", "batch: peak of the heap above the slice"},
		{"stream/peak", "stream, by value: peak of the heap above the slice"},
		{"stream-pointers/peak", "stream, by pointer: peak of the heap above the slice"},
		{"rows/peak", "rows of a cursor, no slice: peak of the heap"},
		{"rows-quarter/peak", "a quarter of the rows: peak of the heap"},
		{"rows/peak-over-rows-quarter", "rows of a cursor: peak, all rows / a quarter of them"},
		{"batch/peak-of-records", "batch: slice and peak / slice"},
		{"stream/peak-of-records", "stream, by value: slice and peak / slice"},
		{"stream-pointers/peak-of-records", "stream, by pointer: slice and peak / slice"},
		{"stream/over-batch", "time of stream by value / batch"},
		{"stream-pointers/over-batch", "time of stream by pointer / batch"},
	},
	keys: []string{
		"slice/bytes", "batch/peak-of-records", "stream/peak-of-records", "stream/peak", "stream-pointers/peak", "rows/peak", "stream/over-batch",
	},
	claims: []claim{
		{"batch doubles the memory (1.8 to 2.2 times the slice)", "you reckon memory for Marshal", "batch/peak-of-records", between(1.8, 2.2)},
		{"stream adds a few KiB (1 MB at most)", "you pass records by value to Encode, as the section does", "stream/peak", atMost(1e6)},
		{"stream adds a few KiB (1 MB at most)", "you pass pointers to Encode", "stream-pointers/peak", atMost(1e6)},
		{"stream takes less memory than batch", "you only ask which of both takes less", "stream/peak-of-records", atMost(1.5)},
		{"rows from a cursor take constant memory", "rows come from a cursor", "rows/peak-over-rows-quarter", atMost(1.5)},
	},
	untested: "A database: rows are made by a function.",
	seconds:  [2]float64{40, 3},
	run: func(t *trial) error {
		few := makeRecords(t.pick(1000, 1000, 10))
		batch := func(records []record) func() error {
			return func() error {
				text, err := json.Marshal(records)
				if err == nil {
					_, err = discard.Write(text)
				}
				return err
			}
		}
		if err := t.compare(
			way{name: "batch", do: batch(few)},
			way{name: "stream", do: func() error { return dump(discard, few) }},
			way{name: "stream-pointers", do: func() error { return dumpPointers(discard, few) }},
		); err != nil {
			return err
		}
		t.over("stream", "batch")
		t.over("stream-pointers", "batch")

		n, many := t.pick(1e6, 5e4, 100), t.pick(1e6, 3e5, 100)
		rows := func(n int) func() error { return func() error { return dumpRows(discard, n) } }
		peaks, err := t.peaks(1, way{name: "rows", do: rows(4 * many)}, way{name: "rows-quarter", do: rows(many)})
		if err != nil {
			return err
		}
		t.set("rows/peak-over-rows-quarter", quotients(peaks["rows"], peaks["rows-quarter"]))
		before := settledHeap()
		records := makeRecords(n)
		slice := max(settledHeap()-before, heapResolution)
		text := new(counter)
		if err := dump(text, records); err != nil {
			return err
		}
		peaks, err = t.peaks(1,
			way{name: "batch", do: batch(records)},
			way{name: "stream", do: func() error { return dump(discard, records) }},
			way{name: "stream-pointers", do: func() error { return dumpPointers(discard, records) }})
		runtime.KeepAlive(records)
		t.set("slice/bytes", figures.Exactly(slice, "B"))
		t.set("text/bytes", figures.Exactly(float64(*text), "B"))
		for name, p := range peaks {
			t.set(name+"/peak-of-records", share(slice+p[0], slice))
		}
		return err
	},
}

// record is the section's row.
type record struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Data string `json:"data"`
}

// makeRecord makes a record of about 200 bytes of memory that it shares with no other.
func makeRecord(i int) record {
	name := "record " + strconv.Itoa(i)
	return record{int64(i), name, strings.Repeat(name[len(name)-4:], 36)}
}

func makeRecords(n int) []record {
	out := make([]record, n)
	for i := range out {
		out[i] = makeRecord(i)
	}
	return out
}

// dump is the section's stream.
func dump(w io.Writer, records []record) error {
	e := json.NewEncoder(w)
	for _, r := range records {
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

func dumpPointers(w io.Writer, records []record) error {
	e := json.NewEncoder(w)
	for i := range records {
		if err := e.Encode(&records[i]); err != nil {
			return err
		}
	}
	return nil
}

// dumpRows writes records that exist only one at a time.
func dumpRows(w io.Writer, n int) error {
	e := json.NewEncoder(w)
	for i := range n {
		if err := e.Encode(makeRecord(i)); err != nil {
			return err
		}
	}
	return nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
