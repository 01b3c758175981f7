package engine

import (
	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

// calls are the two functions of a library with the interface of encoding/json.
type calls struct {
	unmarshal func(data []byte, v any) error
	marshal   func(v any) ([]byte, error)
}

func (c calls) request() Codec  { return codecOf[openrtb.BidRequest](c) }
func (c calls) response() Codec { return codecOf[openrtb.BidResponse](c) }

func codecOf[T any](c calls) Codec {
	return Codec{
		Decode: func(data []byte) (any, error) {
			v := new(T)
			return v, c.unmarshal(data, v)
		},
		Encode: func(_ []byte, v any) ([]byte, error) { return c.marshal(v) },
	}
}

func (c calls) fields(data []byte, f *Fields) error {
	r := new(partial.Request)
	if err := c.unmarshal(data, r); err != nil {
		return err
	}
	f.fill(r)
	return nil
}
