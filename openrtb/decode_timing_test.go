package openrtb_test

import (
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// BenchmarkParseFastArena decodes the requests of testdata/bench, and the corpus, with every index
// kernel that the machine has. "make bench ARGS=ablation" compares it with builds that leave
// something out.
func BenchmarkParseFastArena(b *testing.B) {
	sets := map[string][][]byte{}
	for _, name := range []string{"banner", "video", "app", "app_indented", "escapes"} {
		data, err := os.ReadFile(testkit.Path(b, "testdata/bench/"+name+".json"))
		if err != nil {
			b.Fatal(err)
		}
		sets[name] = [][]byte{data}
	}
	sets["corpus"] = testkit.Requests(b)
	for _, name := range []string{"banner", "video", "app", "app_indented", "escapes", "corpus"} {
		docs := sets[name]
		for _, level := range testkit.Levels() {
			b.Run("set="+name+"/level="+level.String(), func(b *testing.B) {
				defer jsonindex.SetLevel(jsonindex.SetLevel(level))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					r, err := openrtb.ParseFastArena(docs[i])
					if err == nil {
						openrtb.ReleaseArena(r)
					}
					if i++; i == len(docs) {
						i = 0
					}
				}
			})
		}
	}
}
