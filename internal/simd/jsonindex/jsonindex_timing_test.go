package jsonindex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/simdtest"
)

// corpus reads real requests, one per line.
func corpus(tb testing.TB) [][]byte {
	tb.Helper()
	data, err := os.ReadFile("../../../testdata/corpus/requests.ndjson")
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// benchText returns n bytes of real requests as an array: compact as they are in the corpus,
// indented, or compact as JSON in a JSON string, where every quote is escaped.
func benchText(tb testing.TB, kind string, n int) []byte {
	tb.Helper()
	text := append([]byte("["), bytes.Join(corpus(tb)[:400], []byte(","))...)
	text = append(text, ']')
	var err error
	switch kind {
	case "indented":
		var b bytes.Buffer
		err = json.Indent(&b, text, "", "  ")
		text = b.Bytes()
	case "escaped":
		text, err = json.Marshal(string(text))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return text[:n:n]
}

func BenchmarkIndex(b *testing.B) {
	for _, kind := range []string{"compact", "indented", "escaped"} {
		for _, size := range []int{16, 63, 400, 804, 4096, 65536} {
			if kind != "compact" && size != 804 && size != 4096 {
				continue
			}
			b.Run(fmt.Sprintf("text=%s/size=%d", kind, size), func(b *testing.B) {
				text := benchText(b, kind, size)
				dst := make([]Block, BlockCount(size))
				simdtest.EachLevel(b, kernel, func(b *testing.B) {
					b.SetBytes(int64(size))
					for b.Loop() {
						Index(dst, text)
					}
				})
			})
		}
	}
}

// BenchmarkCorpus walks requests that are all different, which a branch predictor can't learn. An
// operation is one of them.
func BenchmarkCorpus(b *testing.B) {
	docs := corpus(b)
	longest, total := 0, 0
	for _, d := range docs {
		longest = max(longest, len(d))
		total += len(d)
	}
	dst := make([]Block, BlockCount(longest))
	simdtest.EachLevel(b, kernel, func(b *testing.B) {
		b.SetBytes(int64(total / len(docs)))
		i := 0
		for b.Loop() {
			Index(dst, docs[i])
			if i++; i == len(docs) {
				i = 0
			}
		}
	})
}
