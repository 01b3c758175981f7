package lab

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/bytedance/sonic"
	gojson "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"

	"github.com/rtbwire/rtbwire/openrtb"
)

func read(b *testing.B, name string) []byte {
	b.Helper()
	data, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// engines are the ways to decode a request; each is given the text and may keep it.
var engines = []struct {
	name   string
	decode func([]byte) error
}{
	{"rtbwire-arena", func(d []byte) error {
		r, err := openrtb.ParseFastArena(d)
		openrtb.ReleaseArena(r)
		return err
	}},
	{"rtbwire-fast", func(d []byte) error { _, err := openrtb.ParseFast(d); return err }},
	{"rtbwire", func(d []byte) error { _, err := openrtb.Parse(d); return err }},
	{"gojson", func(d []byte) error { return gojson.Unmarshal(d, new(openrtb.BidRequest)) }},
	{"gojson-pool", func(d []byte) error {
		r := pool.Get().(*openrtb.BidRequest)
		*r = openrtb.BidRequest{}
		err := gojson.Unmarshal(d, r)
		pool.Put(r)
		return err
	}},
	{"sonic-std", func(d []byte) error { return sonic.ConfigStd.Unmarshal(d, new(openrtb.BidRequest)) }},
	{"sonic-fastest", func(d []byte) error { return sonic.ConfigFastest.Unmarshal(d, new(openrtb.BidRequest)) }},
	{"jsoniter", func(d []byte) error {
		return jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal(d, new(openrtb.BidRequest))
	}},
	{"jsoniter-fastest", func(d []byte) error { return jsoniter.ConfigFastest.Unmarshal(d, new(openrtb.BidRequest)) }},
	{"encoding-json", func(d []byte) error { return json.Unmarshal(d, new(openrtb.BidRequest)) }},
}

var pool = sync.Pool{New: func() any { return new(openrtb.BidRequest) }}

func BenchmarkDecode(b *testing.B) {
	for _, set := range []string{"banner", "video", "app", "app_indented", "escapes"} {
		data := read(b, "bench/"+set+".json")
		for _, e := range engines {
			b.Run(set+"/"+e.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if err := e.decode(data); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	docs := bytes.Split(bytes.TrimSpace(read(b, "corpus/requests.ndjson")), []byte("\n"))
	shuffled := make([][]byte, len(docs))
	for i, j := range perm(len(docs)) {
		shuffled[i] = docs[j]
	}
	for _, set := range []struct {
		name string
		docs [][]byte
	}{{"mixed", docs}, {"mixed_shuffled", shuffled}} {
		for _, e := range engines {
			b.Run(set.name+"/"+e.name, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					_ = e.decode(set.docs[i]) // some are of the wrong type on purpose
					if i++; i == len(set.docs) {
						i = 0
					}
				}
			})
		}
	}
}

// perm is a fixed shuffle.
func perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	state := uint64(42)
	for i := n - 1; i > 0; i-- {
		state = state*6364136223846793005 + 1442695040888963407
		j := int(state>>33) % (i + 1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}
