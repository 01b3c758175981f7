// Package easy adapts mailru/easyjson, and what its methods make of encoding/json and
// json-iterator, to the lab.
//
// easyjson generates methods, and other libraries in a binary call them too. So it has separate
// types and a separate program, in the folder worker. Package easygen writes them when the lab
// runs.
package easy

import (
	"encoding/json"
	"sync"

	jsoniter "github.com/json-iterator/go"
	"github.com/mailru/easyjson"
	"github.com/mailru/easyjson/jwriter"

	"github.com/rtbwire/rtbwire/lab/engine"
)

// generated is a pointer to a type for which easyjson has generated methods.
type generated[T any] interface {
	*T
	easyjson.MarshalerUnmarshaler
}

// Engines returns easyjson and the demonstrations, for a type of requests and one of responses.
func Engines[Request, Response any, PRequest generated[Request], PResponse generated[Response]]() []engine.Engine {
	const path = "github.com/mailru/easyjson"
	iter := jsoniter.ConfigCompatibleWithStandardLibrary
	return []engine.Engine{{
		Name: "easyjson", Module: path,
		Config:  "easyjson.Unmarshal(data, v); v.MarshalEasyJSON into a jwriter.Writer, BuildBytes(dst); generated on a copy of the types",
		Source:  "README.md: Generated Marshaler/Unmarshaler Funcs",
		Note:    "in a separate program",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: codec[Request, PRequest](), Response: codec[Response, PResponse](),
	}, {
		Name: "easyjson-pool", Module: path,
		Config:  "easyjson.Unmarshal(data, v) with v from a sync.Pool and set to zero before",
		Source:  engine.PooledSource,
		Note:    "in a separate program; only the outermost struct is reused",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: pooled[Request, PRequest](), Response: pooled[Response, PResponse](),
	}, {
		Name:    "encoding-json-contaminated",
		Config:  "json.Unmarshal(data, v); json.Marshal(v), with types for which easyjson has generated methods",
		Source:  "https://tokarevxvi.dev/blog/go-json-performance-openrtb/ (other libraries)",
		Note:    "a demonstration: what a benchmark measures as encoding/json when easyjson is linked in",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: contaminated[Request](json.Unmarshal, json.Marshal), Response: contaminated[Response](json.Unmarshal, json.Marshal),
	}, {
		Name: "jsoniter-contaminated", Module: "github.com/json-iterator/go",
		Config:  "jsoniter.ConfigCompatibleWithStandardLibrary, with types for which easyjson has generated methods",
		Source:  "https://tokarevxvi.dev/blog/go-json-performance-openrtb/ (other libraries)",
		Note:    "a demonstration: what a benchmark measures as json-iterator when easyjson is linked in",
		Safety:  engine.Safety{Copies: engine.Yes, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: contaminated[Request](iter.Unmarshal, iter.Marshal), Response: contaminated[Response](iter.Unmarshal, iter.Marshal),
	}}
}

// NoCopy returns easyjson with types whose fields have the option nocopy in their tags.
func NoCopy[Request, Response any, PRequest generated[Request], PResponse generated[Response]]() []engine.Engine {
	return []engine.Engine{{
		Name: "easyjson-nocopy", Module: "github.com/mailru/easyjson",
		Config:  "easyjson.Unmarshal(data, v); generated on a copy of the types with the option nocopy in the tags of all fields",
		Source:  "README.md: 'nocopy' - disables allocation and copying of string values",
		Note:    "in a separate program; writing is the same as without the option",
		Safety:  engine.Safety{Copies: engine.No, UTF8: engine.No, CaseSensitive: engine.Yes},
		Request: engine.DecodeOnly(codec[Request, PRequest]()), Response: engine.DecodeOnly(codec[Response, PResponse]()),
	}}
}

// pooled decodes into a struct from a pool. Writing is the same as without one.
func pooled[T any, P generated[T]]() engine.Codec {
	pool := sync.Pool{New: func() any { return P(new(T)) }}
	return engine.Codec{
		Decode: func(text []byte) (any, error) {
			v := pool.Get().(P)
			var zero T
			*v = zero
			return v, easyjson.Unmarshal(text, v)
		},
		Release: func(v any) { pool.Put(v) },
	}
}

func codec[T any, P generated[T]]() engine.Codec {
	return engine.Codec{
		Decode: func(text []byte) (any, error) {
			v := P(new(T))
			return v, easyjson.Unmarshal(text, v)
		},
		Encode: func(dst []byte, v any) ([]byte, error) {
			var w jwriter.Writer
			v.(P).MarshalEasyJSON(&w)
			return w.BuildBytes(dst)
		},
	}
}

func contaminated[T any](unmarshal func([]byte, any) error, marshal func(any) ([]byte, error)) engine.Codec {
	return engine.Codec{
		Decode: func(text []byte) (any, error) {
			v := new(T)
			return v, unmarshal(text, v)
		},
		Encode: func(_ []byte, v any) ([]byte, error) { return marshal(v) },
	}
}
