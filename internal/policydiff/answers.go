package policydiff

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
)

// AnswersMax is how many requests can have answers: about 1 GiB of memory.
const AnswersMax = 4 << 20

// Answers are the bids of a log of responses, by the id of their request.
type Answers struct {
	by map[string]*answer
	// Responses were read; Unreadable of them can't be decoded, or have no id.
	Responses, Unreadable int64
}

type answer struct {
	bids   int
	prices []price
}

// of returns the answer to a request, nil if none is known.
func (a *Answers) of(id string) *answer { return a.by[id] }

// Len is the number of requests that have an answer.
func (a *Answers) Len() int { return len(a.by) }

// LoadAnswers reads the responses in some inputs, as "rtbwire replay --record" and access logs have
// them; documents that are no responses are left out. Several answers to one id add up. It fails
// beyond [AnswersMax] requests, or if an input can't be read to its end.
func LoadAnswers(ctx context.Context, inputs []batch.Input, o Options) (*Answers, error) {
	a := &Answers{by: map[string]*answer{}}
	decoder := openrtb.NewResponseDecoder()
	for i := range inputs {
		if err := a.load(ctx, &inputs[i], &o, decoder); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *Answers) load(ctx context.Context, in *batch.Input, o *Options, decoder *openrtb.ResponseDecoder) error {
	r, err := batch.NewReader(*in, batch.Options{MaxDocument: o.MaxDocument, Progress: o.Progress})
	if err != nil {
		return err
	}
	defer r.Close()
	for ctx.Err() == nil {
		d, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.Type != schema.Response {
			continue
		}
		a.Responses++
		if d.TooLarge || !a.add(d.Data, o.Rates, decoder) {
			a.Unreadable++
		}
		if len(a.by) > AnswersMax {
			return fmt.Errorf("%s: answers to more than %d requests; split the log", in.Name, AnswersMax)
		}
	}
	return ctx.Err()
}

// add adds a response. It reports false if that can't be read.
func (a *Answers) add(text []byte, rates Rates, decoder *openrtb.ResponseDecoder) bool {
	r, err := decoder.Decode(text)
	if err != nil || r.ID == "" {
		return false
	}
	id := kept(r.ID)
	own := a.by[id]
	if own == nil {
		own = &answer{}
		a.by[id] = own
	}
	for i := range r.SeatBid {
		for k := range r.SeatBid[i].Bid {
			bid := &r.SeatBid[i].Bid[k]
			own.bids++
			if bid.Price != nil && *bid.Price > 0 {
				own.prices = addPrice(own.prices, rates, *bid.Price, r.Cur)
			}
		}
	}
	return true
}
