// Package jxcodec reads and writes OpenRTB with go-faster/jx in the style of its README: pooled
// decoders, a callback for each object with a switch on keys, and a Writer, which the README
// recommends for generated code. Like encoding/json, it copies strings, refuses text after the
// end, and takes null for a value that is missing.
//
//	jxcodec.go     values, and the functions that the lab calls
//	fields_gen.go  two functions per object, one to read and one to write, written by a program
package jxcodec

import (
	"errors"
	"io"

	"github.com/go-faster/jx"

	"github.com/rtbwire/rtbwire/lab/partial"
	"github.com/rtbwire/rtbwire/openrtb"
)

//go:generate go run ./fields

var errTrailing = errors.New("text after the end")

// DecodeRequest reads a request.
func DecodeRequest(data []byte) (*openrtb.BidRequest, error) {
	return document(data, decodeOpenrtbBidRequest)
}

// DecodeResponse reads a response.
func DecodeResponse(data []byte) (*openrtb.BidResponse, error) {
	return document(data, decodeOpenrtbBidResponse)
}

// DecodePartial reads the fields of a simple bidder.
func DecodePartial(data []byte) (*partial.Request, error) {
	return document(data, decodePartialRequest)
}

// AppendRequest writes a request.
func AppendRequest(dst []byte, v *openrtb.BidRequest) []byte {
	w := jx.Writer{Buf: dst}
	encodeOpenrtbBidRequest(&w, v)
	return w.Buf
}

// AppendResponse writes a response.
func AppendResponse(dst []byte, v *openrtb.BidResponse) []byte {
	w := jx.Writer{Buf: dst}
	encodeOpenrtbBidResponse(&w, v)
	return w.Buf
}

func document[T any](data []byte, read func(*jx.Decoder, *T) error) (*T, error) {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	v := new(T)
	if err := read(d, v); err != nil {
		return nil, err
	}
	if err := d.Skip(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return v, nil
}

func object[T any](d *jx.Decoder, read func(*jx.Decoder, *T) error) (*T, error) {
	v := new(T)
	return v, read(d, v)
}

// list reads an array. Elements that are null keep their zero.
func list[T any](d *jx.Decoder, read func(*jx.Decoder, *T) error) ([]T, error) {
	out := []T{}
	err := d.Arr(func(d *jx.Decoder) error {
		var zero T
		out = append(out, zero)
		if d.Next() == jx.Null {
			return d.Null()
		}
		return read(d, &out[len(out)-1])
	})
	return out, err
}

func text(d *jx.Decoder, v *string) (err error) {
	*v, err = d.Str()
	return err
}

func integer[T ~int](d *jx.Decoder, v *T) error {
	n, err := d.Int()
	*v = T(n)
	return err
}

func float(d *jx.Decoder, v *float64) (err error) {
	*v, err = d.Float64()
	return err
}

// raw copies a value as it is, for the text may change once it is decoded.
func raw[T ~[]byte](d *jx.Decoder, v *T) error {
	r, err := d.RawAppend(nil)
	*v = T(r)
	return err
}

// member writes a comma, except before the first member, and the key.
func member(w *jx.Writer, first *bool, key string) {
	if !*first {
		w.Comma()
	}
	*first = false
	w.FieldStart(key)
}

func array[T any](w *jx.Writer, values []T, write func(*jx.Writer, *T)) {
	w.ArrStart()
	for i := range values {
		if i > 0 {
			w.Comma()
		}
		write(w, &values[i])
	}
	w.ArrEnd()
}

func writeText(w *jx.Writer, v *string)       { w.Str(*v) }
func writeInteger[T ~int](w *jx.Writer, v *T) { w.Int(int(*v)) }
func writeFloat(w *jx.Writer, v *float64)     { w.Float64(*v) }
func writeRaw[T ~[]byte](w *jx.Writer, v *T)  { w.Raw(*v) }
