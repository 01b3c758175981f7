package lab

import (
	"encoding/json"
	"testing"

	"github.com/bytedance/sonic"
	gojson "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"

	"github.com/rtbwire/rtbwire/openrtb"
)

// encoders are the ways to write a request; each returns the text.
var encoders = []struct {
	name   string
	encode func(buf []byte, r *openrtb.BidRequest) ([]byte, error)
}{
	{"rtbwire", func(buf []byte, r *openrtb.BidRequest) ([]byte, error) { return r.AppendJSON(buf) }},
	{"rtbwire-fresh", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return r.AppendJSON(nil) }},
	{"gojson", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return gojson.Marshal(r) }},
	{"gojson-noescape", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return gojson.MarshalNoEscape(r) }},
	{"sonic-std", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return sonic.ConfigStd.Marshal(r) }},
	{"sonic-fastest", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return sonic.ConfigFastest.Marshal(r) }},
	{"jsoniter", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) {
		return jsoniter.ConfigCompatibleWithStandardLibrary.Marshal(r)
	}},
	{"jsoniter-fastest", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return jsoniter.ConfigFastest.Marshal(r) }},
	{"encoding-json", func(_ []byte, r *openrtb.BidRequest) ([]byte, error) { return json.Marshal(r) }},
}

func BenchmarkEncode(b *testing.B) {
	for _, set := range []string{"banner", "video", "app", "escapes"} {
		r, err := openrtb.Parse(read(b, "bench/"+set+".json"))
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range encoders {
			b.Run(set+"/"+e.name, func(b *testing.B) {
				b.ReportAllocs()
				buf := make([]byte, 0, 64<<10)
				for b.Loop() {
					out, err := e.encode(buf[:0], r)
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(int64(len(out)))
				}
			})
		}
	}
}
