package openrtb_test
import ("testing";"os";"github.com/rtbwire/rtbwire/openrtb")
func BenchmarkZZ(b *testing.B) {
	for _, n := range []string{"banner","app","video"} {
		data, _ := os.ReadFile("../testdata/bench/"+n+".json")
		b.Run(n, func(b *testing.B) { for b.Loop() { r, err := openrtb.ParseFastArena(data); if err != nil { b.Fatal(err) }; openrtb.ReleaseArena(r) } })
	}
}
