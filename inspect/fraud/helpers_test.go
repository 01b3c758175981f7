package fraud

import (
	"bytes"
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

func mustNew(tb testing.TB, c Config) *Model {
	tb.Helper()
	m, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func parse(tb testing.TB, doc []byte) *openrtb.BidRequest {
	tb.Helper()
	r, err := openrtb.Parse(doc)
	if err != nil {
		tb.Fatalf("%v: %s", err, doc)
	}
	return r
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(testkit.Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// corpus are the requests of the corpus.
func corpus(tb testing.TB) (docs [][]byte) {
	for line := range bytes.Lines(readFile(tb, "testdata/corpus/requests.ndjson")) {
		docs = append(docs, line)
	}
	return docs
}
