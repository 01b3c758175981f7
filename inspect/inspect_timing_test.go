package inspect

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// sets are documents by name: the requests that the lab measures, and the corpus.
func sets(b *testing.B) map[string][][]byte {
	b.Helper()
	docs := map[string][][]byte{"doc=corpus": testkit.Requests(b)}
	for _, name := range []string{"banner", "app"} {
		text, err := os.ReadFile(testkit.Path(b, "testdata/bench/"+name+".json"))
		if err != nil {
			b.Fatal(err)
		}
		docs["doc="+name] = [][]byte{text}
	}
	return docs
}

func measure(b *testing.B, docs [][]byte, do func(body []byte)) {
	b.Helper()
	size := 0
	for _, d := range docs {
		size += len(d)
	}
	b.SetBytes(int64(size) / int64(len(docs)))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		do(docs[n%len(docs)])
	}
}

// BenchmarkInspect measures the verdict next to the decoding that is a part of it.
func BenchmarkInspect(b *testing.B) {
	for name, docs := range sets(b) {
		b.Run("do=decode/"+name, func(b *testing.B) {
			d := openrtb.NewDecoder()
			measure(b, docs, func(body []byte) { _, _ = d.Decode(body) })
		})
		b.Run("do=inspect/"+name, func(b *testing.B) {
			w := mustNew(b, Config{}).NewWorker()
			measure(b, docs, func(body []byte) { w.Inspect(body, Facts{}) })
		})
		b.Run("do=rules/"+name, func(b *testing.B) { // what twenty of them cost beside their conditions
			c := only("*", Off)
			for i := range 20 {
				c.Global.Rules = append(c.Global.Rules, objection(strconv.Itoa(i), never))
			}
			c.Global.Severities = append(c.Global.Severities, Setting{"policy.*", Refuse})
			w := mustNew(b, c).NewWorker()
			measure(b, docs, func(body []byte) { w.Inspect(body, Facts{}) })
		})
		b.Run("do=off/"+name, func(b *testing.B) { // what the engine costs without inspectors
			w := mustNew(b, only("*", Off)).NewWorker()
			measure(b, docs, func(body []byte) { w.Inspect(body, Facts{}) })
		})
		b.Run("do=fraud/"+name, func(b *testing.B) { // what the score costs, with 50,000 prefixes
			c := only("fraud.*", Observe)
			c.Fraud.Data.DataCenters = manyPrefixes(b)
			w := mustNew(b, c).NewWorker()
			measure(b, docs, func(body []byte) { w.Inspect(body, Facts{}) })
		})
		b.Run("do=payload/"+name, func(b *testing.B) { // what the search for payloads costs
			w := mustNew(b, only("payload.*", Refuse)).NewWorker()
			measure(b, docs, func(body []byte) { w.Inspect(body, Facts{}) })
		})
	}
}

// manyPrefixes is a list of 50,000 prefixes, as lists of data centres have. None is of a test
// document.
func manyPrefixes(tb testing.TB) lookup.Addresses {
	var entries []string
	for i := range 50_000 {
		entries = append(entries, fmt.Sprintf("%d.%d.%d.0/24", 20+i>>16, i>>8&0xff, i&0xff))
	}
	return prefixes(tb, entries...)
}

// BenchmarkJudgeResponse measures the verdict on responses of a hundred bids: of which none, one,
// or each is to be removed, for a rule, for a payload in a string, and for one in the markup.
func BenchmarkJudgeResponse(b *testing.B) {
	const bids = 100
	for _, faults := range []string{"none", "price", "string", "markup"} {
		for _, count := range []int{1, bids} {
			w := mustNew(b, Config{}).NewWorker()
			if err := w.Decode([]byte(askedFor)); err != nil {
				b.Fatal(err)
			}
			body := manyBids(bids, count, faults)
			w.JudgeResponse(body, Facts{}) // compiles patterns
			b.Run(fmt.Sprintf("faults=%s/bids=%d", faults, count), func(b *testing.B) {
				measure(b, [][]byte{body}, func(body []byte) { w.JudgeResponse(body, Facts{}) })
			})
		}
	}
}

// manyBids is a response to askedFor with so many bids, of which the first ones have a fault.
func manyBids(bids, count int, fault string) []byte {
	text := []byte(`{"id":"r","seatbid":[{"seat":"s1","bid":[`)
	for i := range bids {
		price, crid, markup := "1.5", "c", "<a>"
		if i < count {
			switch fault {
			case "price":
				price = "-1"
			case "string":
				crid = "<script>alert(1)</script>"
			case "markup":
				markup = "x ; cat /etc/passwd ' or 1=1 -- "
			}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, `{"id":"b%d","impid":"1","price":%s,"adm":"%s","adomain":["good.example"],"crid":"%s","w":320,"h":50,"mtype":1}`, i, price, markup, crid)
	}
	return append(text, `]}],"cur":"USD"}`...)
}
