package main

import (
	"encoding/json"
	"fmt"
	"sync"

	gojson "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"
	segmentio "github.com/segmentio/encoding/json"

	"github.com/rtbwire/rtbwire/lab/published/classic"
	"github.com/rtbwire/rtbwire/lab/published/openrtb"
)

// document is what is decoded.
type document struct {
	text []byte
	new  func() any // a target
	hand func(data []byte) (any, error)
}

// documents are the request, and objects of few and of many integers.
func documents() (map[string]document, error) {
	indented, err := openrtb.IndentedText()
	if err != nil {
		return nil, err
	}
	request := func() any { return new(openrtb.BidRequest) }
	fast := func(data []byte) (any, error) { return classic.ParseFast(data) }
	all := map[string]document{
		"banner":   {openrtb.BannerText(), request, fast},
		"indented": {indented, request, fast},
		"keys8":    {nil, func() any { return new(classic.Keys8) }, func(data []byte) (any, error) { return classic.ParseKeys8(data) }},
		"keys16":   {nil, func() any { return new(classic.Keys16) }, func(data []byte) (any, error) { return classic.ParseKeys16(data) }},
		"keys64":   {nil, func() any { return new(classic.Keys64) }, func(data []byte) (any, error) { return classic.ParseKeys64(data) }},
	}
	for name, d := range all {
		if d.text == nil { // all fields, and the number 0 for each
			if d.text, err = json.Marshal(d.new()); err != nil {
				return nil, err
			}
			all[name] = d
		}
	}
	return all, nil
}

// engine is a library in the configuration of the articles.
type engine struct {
	name        string
	decode      func(d document) (any, error)
	release     func(v any)
	requestOnly bool
}

// engines are those of the articles, and rtbwire-gen's code for their types. segmentio, which works
// on types at run time too, says how near json-iterator is to what can be had in that way.
var engines = []engine{
	{name: "encoding-json", decode: into(json.Unmarshal)},
	{name: "jsoniter", decode: into(jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal)},
	{name: "gojson", decode: into(func(data []byte, v any) error { return gojson.Unmarshal(data, v) })},
	{
		name: "gojson-pool", requestOnly: true, release: func(v any) { requests.Put(v) },
		decode: func(d document) (any, error) {
			v := requests.Get().(*openrtb.BidRequest)
			*v = openrtb.BidRequest{}
			return v, gojson.Unmarshal(d.text, v)
		},
	},
	{name: "segmentio", decode: into(segmentio.Unmarshal)},
	{name: "fast", decode: func(d document) (any, error) { return d.hand(d.text) }},
	{
		name: "arena", requestOnly: true, release: func(v any) { classic.Release(v.(*openrtb.BidRequest)) },
		decode: func(d document) (any, error) { return classic.ParseFastArena(d.text) },
	},
	{name: "rtbwire", requestOnly: true, decode: func(d document) (any, error) { return openrtb.ParseBidRequest(d.text) }},
	{
		name: "rtbwire-arena", requestOnly: true, release: func(v any) { openrtb.ReleaseBidRequestArena(v.(*openrtb.BidRequest)) },
		decode: func(d document) (any, error) { return openrtb.ParseBidRequestFastArena(d.text) },
	},
}

var requests = sync.Pool{New: func() any { return new(openrtb.BidRequest) }}

// into decodes into a new target.
func into(unmarshal func(data []byte, v any) error) func(document) (any, error) {
	return func(d document) (any, error) {
		v := d.new()
		return v, unmarshal(d.text, v)
	}
}

func find(name string) (engine, bool) {
	for _, e := range engines {
		if e.name == name {
			return e, true
		}
	}
	return engine{}, false
}

// operation returns a function that decodes the document once.
func (e *engine) operation(d document) (func(int) error, error) {
	if _, ok := d.new().(*openrtb.BidRequest); !ok && e.requestOnly {
		return nil, fmt.Errorf("%s decodes requests alone", e.name)
	}
	decode, release := e.decode, e.release
	if release == nil {
		return func(int) error {
			_, err := decode(d)
			return err
		}, nil
	}
	return func(int) error {
		v, err := decode(d)
		if err == nil {
			release(v)
		}
		return err
	}, nil
}
