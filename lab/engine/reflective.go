package engine

import (
	"sync"

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

// DecodeOnly leaves out writing, which is the same as in another row.
func DecodeOnly(c Codec) Codec {
	c.Encode = nil
	return c
}

// PooledSource is where the target of a decoder comes from a pool.
const PooledSource = "https://tokarevxvi.dev/blog/go-json-performance-openrtb/ (with a pool)"

// pooled decodes into a struct from a pool, which is set to zero before.
func pooled[T any](c calls) Codec {
	pool := sync.Pool{New: func() any { return new(T) }}
	codec := codecOf[T](c)
	codec.Decode = func(data []byte) (any, error) {
		v := pool.Get().(*T)
		var zero T
		*v = zero
		return v, c.unmarshal(data, v)
	}
	codec.Release = func(v any) { pool.Put(v) }
	return codec
}

func (c calls) fields(data []byte, f *Fields) error {
	r := new(partial.Request)
	if err := c.unmarshal(data, r); err != nil {
		return err
	}
	f.fill(r)
	return nil
}
