package payload

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/literals"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// benchTexts returns what BenchmarkScan scans: single documents, and the requests of the corpus in
// the order of the file and shuffled, so that the branch predictor can't learn them.
func benchTexts(tb testing.TB) (names []string, texts [][][]byte) {
	tb.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(testkit.Path(tb, "testdata/"+name))
		if err != nil {
			tb.Fatal(err)
		}
		return bytes.TrimSpace(data)
	}
	for _, name := range []string{"banner", "app", "app_indented", "escapes"} {
		names, texts = append(names, name), append(texts, [][]byte{read("bench/" + name + ".json")})
	}
	corpus := bytes.Split(read("corpus/requests.ndjson"), []byte("\n"))
	shuffled := slices.Clone(corpus)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
	return append(names, "corpus", "shuffled"), append(texts, corpus, shuffled)
}

// setLevel makes all kernels of a scan use a level, and returns what undoes it.
func setLevel(level literals.Level) (undo func()) {
	before := literals.SetLevel(level)
	if !slices.Contains(jsonindex.Levels(), level) {
		return func() { literals.SetLevel(before) }
	}
	index := jsonindex.SetLevel(level)
	return func() { literals.SetLevel(before); jsonindex.SetLevel(index) }
}

// BenchmarkScan scans clean documents.
func BenchmarkScan(b *testing.B) {
	names, texts := benchTexts(b)
	for i, name := range names {
		for _, layers := range []struct {
			name string
			Options
		}{{"none", Options{}}, {"all", Options{Layers: AllLayers}}, {"nested", Options{Layers: AllLayers, Nested: 2}}} {
			s := newScanner(b, layers.Options)
			for _, level := range literals.Levels() {
				b.Run("text="+name+"/layers="+layers.name+"/level="+level.String(), func(b *testing.B) {
					defer setLevel(level)()
					size := 0
					for _, body := range texts[i] {
						size += len(body)
					}
					b.SetBytes(int64(size))
					b.ReportAllocs()
					used := cputime.Of(func() {
						for b.Loop() {
							for _, body := range texts[i] {
								if _, verdict := s.Scan(nil, body); verdict != Clean {
									b.Fatal(verdict)
								}
							}
						}
					})
					b.ReportMetric(float64(size)*float64(b.N)/float64(used.Nanoseconds()), "cpu-GB/s")
				})
			}
		}
	}
}
