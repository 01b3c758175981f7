package replay

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/batch"
)

// Expected are the answers that requests should get, by the id of the request.
type Expected struct{ texts map[string][][]byte }

// alternativesMax is how many answers to one id are compared by value. Others have to be the same
// bytes.
const alternativesMax = 16

// LoadExpected reads bid responses from files of every shape that package batch reads, such as one
// that [Config.Record] was written to. Where several have the same id, any of them will do. A
// response with an id alone stands for a no-bid, whether that is said with status 204 or with such
// a body. The responses and the memory to find them have to fit [LoadOptions.MaxMemory].
func LoadExpected(inputs []batch.Input, options LoadOptions) (*Expected, error) {
	if options.MaxMemory == 0 {
		options.MaxMemory = MemoryDefault
	}
	e := &Expected{texts: map[string][][]byte{}}
	used := int64(0)
	for _, in := range inputs {
		var failed error
		err := eachDocument(in, batch.Options{MaxDocument: options.MaxDocument, Layout: options.Layout, Type: batch.Responses}, func(d *batch.Document) bool {
			id := idOf(d.Data)
			known := slices.ContainsFunc(e.texts[id], func(t []byte) bool { return bytes.Equal(t, d.Data) })
			switch used += int64(len(d.Data)+len(id)) + answerOverhead; {
			case id == "" || d.TooLarge:
				failed = fmt.Errorf("%s:%d: this is not a bid response with an id", in.Name, d.Line)
			case used > options.MaxMemory:
				failed = fmt.Errorf("%s:%d: the expected answers do not fit %d bytes of memory", in.Name, d.Line, options.MaxMemory)
			case !known:
				e.texts[id] = append(e.texts[id], slices.Clone(d.Data))
			}
			return failed == nil
		})
		if err == nil {
			err = failed
		}
		if err != nil {
			return nil, err
		}
	}
	if len(e.texts) == 0 {
		return nil, errors.New("there are no answers to compare with")
	}
	return e, nil
}

// Len returns the number of ids with an answer.
func (e *Expected) Len() int { return len(e.texts) }

// difference says where an answer differs from what was expected, "" if nowhere, and whether that
// is the status. known is false if nothing was expected.
func (e *Expected) difference(id string, got reply) (what string, status, known bool) {
	list := e.texts[id]
	for _, text := range list {
		if got.status == 204 && onlyID(text) || got.status == 200 && bytes.Equal(got.text, text) {
			return "", false, true
		}
	}
	for i, text := range list[:min(len(list), alternativesMax)] {
		want := reply{200, text}
		if got.status != 200 && onlyID(text) {
			want = reply{status: 204}
		}
		where, ofStatus := difference(got, want)
		if where == "" {
			return "", false, true
		}
		if i == 0 {
			what, status = where, ofStatus
		}
	}
	return what, status, len(list) > 0
}
