package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

var tokenStream = experiment{
	name:   "token-stream",
	advice: "Decoder.Token reads a document of any size in constant memory.",
	method: "An array of articles of 1 kB that is made up while it is read, 2 GB of it (quick: 64 MB) and a " +
		"quarter, token by token; then an array of one long string and one of a quarter of its length. " +
		"Time with 500 events, against Unmarshal into an any.",
	varies:  "the length of the longest token",
	seconds: [2]float64{60, 3},
	run: func(t *trial) error {
		articles := func(size int64) func() error {
			return func() error { return readTokens(arrayOfSize(size, appendArticle)) }
		}
		long := func(size int64) func() error { return func() error { return readTokens(oneString(size)) } }
		events, err := io.ReadAll(someEvents(t.pick(500, 500, 5)))
		if err != nil {
			return err
		}
		if _, err := t.compare("500 events",
			way{"Token", func() error { return readTokens(bytes.NewReader(events)) }},
			decodeAs[any]("Unmarshal into an any", events)); err != nil {
			return err
		}
		size, length := int64(t.pick(2e9, 64e6, 1e5)), int64(t.pick(256e6, 16e6, 1e5))
		name := func(bytes int64, what string) string { return exactly(float64(bytes), "B").short() + what }
		peaks, err := t.comparePeaks("token by token", 1,
			way{name(size/4, " of articles"), articles(size / 4)}, way{name(size, " of articles"), articles(size)},
			way{name(length/4, " in a string"), long(length / 4)}, way{name(length, " in a string"), long(length)})
		if err != nil {
			return err
		}
		slope := func(large, small []float64, bytes int64) quantity {
			return exactly(max(large[0]-small[0], 0)/float64(bytes), "")
		}
		const what = "bytes of memory for a byte more of document"
		t.ask("many small tokens", what, slope(peaks[1], peaks[0], size-size/4), atMost, 0.05)
		t.ask("one long token", what, slope(peaks[3], peaks[2], length-length/4), atMost, 0.05)
		return nil
	},
}

func readTokens(r io.Reader) error {
	d := json.NewDecoder(r)
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func appendArticle(b []byte, i int) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), int64(i), 10)
	b = append(append(b, `,"text":"`...), article...)
	return append(b, `"}`...)
}

var article = strings.Repeat("All work and no play. ", 45)

// oneString is an array of a string of that length.
func oneString(length int64) io.Reader {
	return io.MultiReader(strings.NewReader(`["`), io.LimitReader(letters{}, length), strings.NewReader(`"]`))
}

// letters reads x without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
