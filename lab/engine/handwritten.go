package engine

import (
	"github.com/rtbwire/rtbwire/lab/handwritten"
	"github.com/rtbwire/rtbwire/openrtb"
)

func handwrittenEngines() []Engine {
	return []Engine{{
		Name:   "handwritten",
		Config: "handwritten.Parse(data), handwritten.Release(v), in this folder",
		Source: "lab/handwritten/lexer.go: the classic way to write a fast decoder by hand",
		Note:   "the classic design of a decoder written by hand, for reference; requests only",
		Safety: Safety{Copies: No, UTF8: No, CaseSensitive: Yes},
		Request: Codec{
			Decode:  func(data []byte) (any, error) { r, err := handwritten.Parse(data); return r, err },
			Release: func(v any) { handwritten.Release(v.(*openrtb.BidRequest)) },
		},
	}, {
		Name:   "handwritten-fast",
		Config: "handwritten.ParseFast(data), in this folder",
		Source: "lab/handwritten/arena.go: ParseFast decodes a request without an arena",
		Note:   "the same without an arena: each object, optional number and slice is an allocation",
		Safety: Safety{Copies: No, UTF8: No, CaseSensitive: Yes},
		Request: Codec{
			Decode: func(data []byte) (any, error) { r, err := handwritten.ParseFast(data); return r, err },
		},
	}}
}
