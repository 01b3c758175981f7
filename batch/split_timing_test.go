package batch

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"testing"
)

// corpus returns the requests of the corpus, repeated until they are at least size bytes.
func corpus(t testing.TB, size int) []byte {
	t.Helper()
	text, err := os.ReadFile("../testdata/corpus/requests.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(text, 1+size/len(text))
}

// BenchmarkSplit measures reading and splitting alone; no document is checked.
func BenchmarkSplit(b *testing.B) {
	lines := corpus(b, 16<<20)
	var indented bytes.Buffer
	for line := range bytes.Lines(lines) {
		if err := json.Indent(&indented, line, "", "  "); err != nil {
			b.Fatal(err)
		}
	}
	array := append([]byte{'['}, bytes.ReplaceAll(bytes.TrimSpace(lines), []byte{'\n'}, []byte{','})...)
	for _, bm := range []struct {
		name string
		text []byte
	}{
		{"lines", lines},
		{"array", append(array, ']')},
		{"indented", indented.Bytes()},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(From("", bytes.NewReader(bm.text)), Options{Type: Requests})
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = r.Next()
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDetectType measures the decision between request and response.
func BenchmarkDetectType(b *testing.B) {
	docs := bytes.Split(bytes.TrimSpace(corpus(b, 0)), newline)
	b.ReportAllocs()
	for b.Loop() {
		for _, doc := range docs {
			DetectType(doc)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(docs)), "ns/document")
}
