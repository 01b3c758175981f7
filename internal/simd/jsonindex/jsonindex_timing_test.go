package jsonindex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// corpus reads real requests, one a line.
func corpus(tb testing.TB) [][]byte {
	tb.Helper()
	data, err := os.ReadFile("../../../testdata/corpus/requests.ndjson")
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// benchText is n bytes of real requests as an array: compact as they are in the corpus, indented, or compact as JSON
// inside a JSON string, where every quote is escaped.
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
				eachLevel(b, func(b *testing.B) {
					b.SetBytes(int64(size))
					for b.Loop() {
						Index(dst, text)
					}
				})
			})
		}
	}
}

// BenchmarkCorpus goes through requests that are all different, which a branch predictor cannot learn by heart; its
// figure is the time of one of them.
func BenchmarkCorpus(b *testing.B) {
	docs := corpus(b)
	longest, total := 0, 0
	for _, d := range docs {
		longest = max(longest, len(d))
		total += len(d)
	}
	dst := make([]Block, BlockCount(longest))
	eachLevel(b, func(b *testing.B) {
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
