package openrtb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// ExtAs decodes an ext into a value of type T with encoding/json, by the json tags of T. An absent
// ext, and one of null, is the zero value of T.
//
// The result owns its memory. An error holds nothing of the ext. errors.As finds a
// [json.UnmarshalTypeError], which names the member that has another type, or a [json.SyntaxError];
// both are without the value.
//
// It takes any raw value, also those of package native and of types with a codec of their own. To
// decode a frequent ext faster, generate a codec for its type with "rtbwire-gen" and call the
// generated Parse function instead, which refuses an absent ext.
func ExtAs[T any](ext json.RawMessage) (T, error) {
	var v T
	if len(ext) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(ext, &v); err != nil {
		var zero T
		return zero, fmt.Errorf("openrtb: decoding ext as %T: %w", zero, withoutValue(err))
	}
	return v, nil
}

// extError is an error of encoding/json, in words that quote nothing.
type extError struct {
	text string
	as   error // for errors.As
}

func (e *extError) Error() string { return e.text }
func (e *extError) Unwrap() error { return e.as }

// withoutValue returns an error of encoding/json without what it quotes.
func withoutValue(err error) error {
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		found, _, _ := strings.Cut(e.Value, " ") // "number 300" is a number
		safe := &json.UnmarshalTypeError{Value: found, Type: e.Type, Offset: e.Offset, Struct: e.Struct, Field: e.Field}
		where := "the value"
		if e.Field != "" {
			where = "member " + e.Field
		}
		return &extError{fmt.Sprintf("%s: expected %v, found %s", where, e.Type, found), safe}
	}
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return &extError{fmt.Sprintf("invalid JSON at byte %d", e.Offset), &json.SyntaxError{Offset: e.Offset}}
	}
	return &extError{"the type refuses a value", nil}
}

// SetExt replaces a whole ext by v, encoded with encoding/json but without the escapes for HTML. If
// v encodes to null, the ext becomes absent. On failure the ext stays as it is.
//
// The bytes that ext referred to do not change: they may be part of a message's text.
func SetExt(ext *json.RawMessage, v any) error {
	text, err := extText(v)
	if err != nil {
		return fmt.Errorf("openrtb: encoding %T as ext: %w", v, err)
	}
	*ext = text
	return nil
}

// SetExtMember sets one member of an ext to v, encoded as by [SetExt], and keeps all others as they
// are, byte for byte. If v encodes to null, the member is removed. An absent ext becomes an object,
// unless there is only something to remove.
//
// On failure the ext stays as it is. If the ext is not an object, the error wraps a [*wire.Error].
// For members deeper inside, and for many edits at once, see [splice.Apply].
func SetExtMember(ext *json.RawMessage, name string, v any) error {
	text, err := extText(v)
	if err != nil {
		return fmt.Errorf("openrtb: encoding %T as member %q of ext: %w", v, name, err)
	}
	old := *ext
	if len(old) == 0 || string(old) == "null" {
		if text == nil {
			return nil
		}
		old = json.RawMessage("{}")
	}
	path := "/" + grammar.EscapePointer(name)
	out, err := splice.Apply(nil, old, wire.Edit{Path: path, Value: text}) // no value: it removes
	if err != nil {
		return fmt.Errorf("openrtb: setting member %q of ext: %w", name, err)
	}
	*ext = out
	return nil
}

// extText encodes v; null is nil.
func extText(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if string(text) == "null" {
		return nil, nil
	}
	return text, nil
}
