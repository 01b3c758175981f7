package replay

import (
	"fmt"
	"slices"

	"github.com/rtbwire/rtbwire/batch"
)

// Expected are the answers that requests should get, by the id of the request.
type Expected struct {
	texts    map[string][]byte
	repeated int
}

// LoadExpected reads bid responses from files of every shape that package batch reads, such as one
// that [Config.Record] was written to. Of several with the same id the first counts. A response
// with an id alone stands for a no-bid, whether that is said with status 204 or with such a body.
// The responses and the memory to find them have to fit [LoadOptions.MaxMemory].
func LoadExpected(inputs []batch.Input, options LoadOptions) (*Expected, error) {
	if options.MaxMemory == 0 {
		options.MaxMemory = MemoryDefault
	}
	e := &Expected{texts: map[string][]byte{}}
	used := int64(0)
	for _, in := range inputs {
		var failed error
		err := eachDocument(in, batch.Options{MaxDocument: options.MaxDocument, Layout: options.Layout, Type: batch.Responses}, func(d *batch.Document) bool {
			id := idOf(d.Data)
			_, known := e.texts[id]
			switch used += int64(len(d.Data)+len(id)) + answerOverhead; {
			case id == "" || d.TooLarge:
				failed = fmt.Errorf("%s:%d: this is not a bid response with an id", in.Name, d.Line)
			case used > options.MaxMemory:
				failed = fmt.Errorf("%s:%d: the expected answers do not fit %d bytes of memory", in.Name, d.Line, options.MaxMemory)
			case known:
				e.repeated++
			default:
				e.texts[id] = slices.Clone(d.Data)
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
	return e, nil
}

// Len returns the number of ids with an answer.
func (e *Expected) Len() int { return len(e.texts) }

// Repeated returns how many answers were left out because their id has one already.
func (e *Expected) Repeated() int { return e.repeated }
