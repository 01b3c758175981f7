package schema

import (
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// bannerRequest is what a small exchange sends for one banner, 768 bytes.
const bannerRequest = `{"id":"80ce30c53c16e6ede735f123ef6e32361bfc7b22","imp":[{"id":"1","banner":{"format":[{"w":300,"h":250}],"w":300,"h":250,"pos":1,"battr":[13]},"bidfloor":0.03,"bidfloorcur":"USD","secure":1}],"site":{"id":"102855","domain":"news.example","cat":["IAB3-1"],"page":"https://news.example/1234.html","publisher":{"id":"8953","name":"News House","domain":"news.example"}},"device":{"ua":"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36","ip":"203.0.113.7","dnt":0,"lmt":0,"language":"en","devicetype":2,"geo":{"country":"USA","region":"NY"}},"user":{"id":"55816b39711f9b5acf3b90e313ed29e51665623f"},"at":1,"tmax":120,"cur":["USD"],"source":{"fd":0,"tid":"FEDCBA98-7654-3210"},"regs":{"coppa":0,"gdpr":0}}`

// fewRules are the options of a gateway that checks little: what breaks bidding, and no formats.
var fewRules = []Option{WithPreset(Permissive), WithSeverity("*.format", Off)}

func benchmarkDocs(b *testing.B, options []Option, docs [][]byte, check func(c *Checker, i int) Report) {
	b.Helper()
	c := strict(b, append([]Option{WithMaxFindings(MaxFindingsDefault)}, options...)...)
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	b.SetBytes(int64(size) / int64(len(docs)))
	b.ReportAllocs()
	findings := 0
	for n := 0; b.Loop(); n++ {
		findings += len(check(c, n%len(docs)).Findings)
	}
	b.ReportMetric(float64(findings)/float64(b.N), "findings/op")
}

// requestSets are documents by name: one banner, an app with several impressions, everything that a
// request can have, the corpus.
func requestSets(b *testing.B) map[string][][]byte {
	b.Helper()
	return map[string][][]byte{
		"doc=banner": {[]byte(bannerRequest)},
		"doc=app":    {readFile(b, shared+"bench/app.json")},
		"doc=full":   {edited(b, clean(b, "site"))},
		"doc=corpus": corpus(b, "requests"),
	}
}

func BenchmarkRequest(b *testing.B) {
	for name, docs := range requestSets(b) {
		for _, preset := range []Preset{Strict, Exchange, Admission} {
			b.Run(name+"/preset="+string(preset), func(b *testing.B) {
				benchmarkDocs(b, []Option{WithPreset(preset)}, docs, func(c *Checker, i int) Report { return c.Request(docs[i]) })
			})
		}
	}
}

func BenchmarkRequestText(b *testing.B) {
	for name, docs := range requestSets(b) {
		b.Run(name, func(b *testing.B) {
			benchmarkDocs(b, []Option{WithPreset(Exchange)}, docs, func(c *Checker, i int) Report {
				c.begin(docs[i], nil)
				c.text(Request, objBidRequest)
				return c.finish()
			})
		})
	}
}

// BenchmarkRequestValue checks decoded requests, and decodes the same ones for comparison. Of the
// corpus it measures the requests that a preset has nothing to say about, and the others, too.
func BenchmarkRequestValue(b *testing.B) {
	type way struct {
		name    string
		options []Option
	}
	ways := []way{{"few", fewRules}}
	for _, preset := range Presets() {
		ways = append(ways, way{string(preset), []Option{WithPreset(preset)}})
	}
	for name, docs := range requestSets(b) {
		docs, values := decoded(docs)
		run := func(name string, options []Option, docs [][]byte, values []*openrtb.BidRequest) {
			b.Run(name, func(b *testing.B) {
				benchmarkDocs(b, options, docs, func(c *Checker, i int) Report { return c.RequestValue(values[i], docs[i]) })
			})
		}
		benchmarkDecode(b, name+"/decode", docs)
		for _, w := range ways {
			run(name+"/preset="+w.name, w.options, docs, values)
			if name != "doc=corpus" {
				continue
			}
			c := strict(b, w.options...)
			for _, part := range []struct {
				name     string
				findings bool
			}{{"doc=accepted", false}, {"doc=with-findings", true}} {
				var some [][]byte
				var someValues []*openrtb.BidRequest
				for i := range docs {
					if r := c.RequestValue(values[i], nil); len(r.Findings) != 0 == part.findings {
						some, someValues = append(some, docs[i]), append(someValues, values[i])
					}
				}
				if len(some) == 0 { // strict has something to say about each
					continue
				}
				name := part.name + "/preset=" + w.name
				benchmarkDecode(b, name+",decode", some)
				run(name, w.options, some, someValues)
			}
		}
	}
}

// benchmarkDecode measures the decoder that RequestValue is compared with.
func benchmarkDecode(b *testing.B, name string, docs [][]byte) {
	b.Run(name, func(b *testing.B) {
		d := openrtb.NewDecoder()
		for n := 0; b.Loop(); n++ {
			if _, err := d.Decode(docs[n%len(docs)]); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(docs)), "documents")
	})
}

// decoded returns the documents that can be decoded, and their values.
func decoded(docs [][]byte) (good [][]byte, values []*openrtb.BidRequest) {
	for _, d := range docs {
		if v, err := openrtb.Parse(d); err == nil {
			good, values = append(good, d), append(values, v)
		}
	}
	return good, values
}

func BenchmarkResponse(b *testing.B) {
	for name, docs := range map[string][][]byte{
		"doc=full":   {edited(b, clean(b, "response"))},
		"doc=corpus": corpus(b, "responses"),
	} {
		for _, preset := range []Preset{Strict, Exchange, Admission} {
			b.Run(name+"/preset="+string(preset), func(b *testing.B) {
				benchmarkDocs(b, []Option{WithPreset(preset)}, docs, func(c *Checker, i int) Report { return c.Response(docs[i]) })
			})
		}
	}
}

func BenchmarkPairValues(b *testing.B) {
	request, response := clean(b, "site"), clean(b, "answer")
	req, resp := mustRequest(b, request), mustResponse(b, response)
	benchmarkDocs(b, []Option{WithPreset(Exchange)}, [][]byte{response}, func(c *Checker, _ int) Report { return c.PairValues(req, resp, request, response) })
}
