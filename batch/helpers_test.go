package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rtbwire/rtbwire/inspect/schema"
)

// caseName names a table entry and remembers its line, for failures.
type caseName struct{ text, where string }

func name(text string) caseName {
	_, file, line, _ := runtime.Caller(1)
	return caseName{text, fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)}
}

// readAll returns copies of all documents of a text, and the error that ended them.
func readAll(t testing.TB, in Input, opts Options) ([]Document, error) {
	t.Helper()
	r, err := NewReader(in, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var docs []Document
	for {
		d, err := r.Next()
		if err == io.EOF {
			return docs, nil
		}
		if err != nil {
			return docs, err
		}
		d.Data = bytes.Clone(d.Data)
		docs = append(docs, d)
	}
}

// texts returns the documents' texts.
func texts(docs []Document) []string {
	out := make([]string, len(docs))
	for i, d := range docs {
		out[i] = string(d.Data)
	}
	return out
}

// readers are the ways in which bytes may arrive.
var readers = map[string]func(io.Reader) io.Reader{
	"whole":    func(r io.Reader) io.Reader { return r },
	"one byte": iotest.OneByteReader,
	"half":     iotest.HalfReader,
	"data+err": iotest.DataErrReader,
}

// linesRef splits lines the slow, clear way.
func linesRef(text string) []string {
	out := []string{}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.Trim(line, " \t\r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// valuesRef splits values with encoding/json. It fails on what is not JSON throughout, with
// the documents before that place. touching reports whether there is a number or a literal at
// the top level: encoding/json separates those from their neighbours without white space, as
// in "1-2" and "nulltrue", where rtbwire sees one document, and a wrong one.
func valuesRef(text string) (out []string, touching bool, err error) {
	out = []string{}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case err == io.EOF:
			return out, touching, nil
		case err != nil:
			return out, touching, err
		case value[0] != '[':
			touching = touching || value[0] != '{' && value[0] != '"'
			out = append(out, string(value))
			continue
		}
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err != nil {
			return out, touching, err
		}
		for _, e := range elements {
			out = append(out, string(e))
		}
	}
}

func compress(t testing.TB, e Encoding, text string) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	switch e {
	case Plain:
		return []byte(text)
	case Gzip:
		w = gzip.NewWriter(&buf)
	case Zstd:
		z, err := zstd.NewWriter(&buf)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func newEngine(t testing.TB) *schema.Engine {
	t.Helper()
	e, err := schema.New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// valid is a request without findings of level error.
const valid = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"at":1}`

var errBroken = errors.New("the cable is out")

// brokenAfter returns text and then an error.
func brokenAfter(text string) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(errBroken))
}
