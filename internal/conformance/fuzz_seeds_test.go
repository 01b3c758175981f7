package conformance

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// fuzzMax is the length limit of documents in the fuzz targets. Longer ones find no more and take
// longer.
const fuzzMax = 32 << 10

// seeds returns documents to start from: the specification's examples, a sample of the corpus,
// JSONTestSuite, the cases of the contract, endings of truncated texts, and pieces by themselves.
func seeds(tb testing.TB) (list [][]byte) {
	n := [2]int{}
	for _, d := range testkit.Documents(tb) {
		kind := 0
		if d.Response {
			kind = 1
		}
		if n[kind]%60 == 0 || d.Example() {
			list = append(list, d.Text)
		}
		n[kind]++
	}
	for _, f := range testkit.Suite(tb) {
		if bytes.HasPrefix(f.Text, []byte("{")) {
			list = append(list, f.Text)
		} else {
			list = append(list, fmt.Appendf(nil, `{"ext":%s}`, f.Text))
		}
	}
	for _, c := range contract {
		data, _ := unmark(c.in)
		list = append(list, data)
	}
	for _, ending := range endings {
		list = append(list, []byte(ending))
	}
	for i, piece := range pieces {
		list = append(list, fmt.Appendf(nil, `{"imp":[{%s}], %s,"seatbid":[{"bid":[{%s}]}]}`, piece, pieces[(i+7)%len(pieces)], piece))
	}
	for i, token := range tokens {
		other := tokens[(i+11)%len(tokens)]
		list = append(list, fmt.Appendf(nil, `{"id":%s,"tmax":%s,"ext":%s,"imp":[{"bidfloor":%s}],"seatbid":[{"bid":[{"price":%s}]}]}`, token, other, other, token, other))
	}
	return slices.DeleteFunc(list, func(data []byte) bool { return len(data) > fuzzMax })
}

// chooseKernel selects a kernel by the input, and returns a function that selects the one from
// before.
func chooseKernel(data []byte) (undo func()) {
	levels := testkit.Levels()
	return testkit.SetLevel(levels[len(data)%len(levels)])
}

// fresh returns a new decoder for requests or responses. Fuzz targets make one for each input, so
// that an input that fails will fail again.
func fresh(response bool, mode int) *entry {
	if response {
		return responseDecoderEntry(modes[mode].mode, modes[mode].options...)
	}
	return decoderEntry(modes[mode].mode, modes[mode].options...)
}

// decodeFresh returns what a new decoder makes of a document. The value stays valid, because no
// caller uses the decoder again.
func decodeFresh(response bool, mode int, data []byte) (o oracle.Outcome) {
	fresh(response, mode).decode(data, func(got oracle.Outcome) { o = got })
	return o
}

// decodersDiffer returns how the outcomes of two decoders differ, "" if they do not. Unlike
// [oracle.Outcome.Diff] it also compares the repairs in documents that both refuse.
func decodersDiffer(got, want oracle.Outcome) string {
	if s := got.Diff(want); s != "" {
		return s
	}
	if !slices.Equal(got.Saved, want.Saved) {
		return fmt.Sprintf("saved %v, want %v", got.Saved, want.Saved)
	}
	return ""
}
