package native

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// Wrapper tells whether the object is wrapped in another one with the single member native.
type Wrapper bool

// The two forms of a text.
const (
	// Bare is the object itself, as version 1.1 and later have it.
	Bare Wrapper = false
	// Wrapped is {"native": ...} around the object, as version 1.0 has it.
	Wrapped Wrapper = true
)

// String returns "bare" or "wrapped".
func (w Wrapper) String() string {
	if w {
		return "wrapped"
	}
	return "bare"
}

// WrapperOf returns the form that a version of the native specification asks for, as
// [openrtb.Native] has it in Ver: [Wrapped] for "1.0", [Bare] for all others and for "".
func WrapperOf(ver string) Wrapper { return ver == "1.0" || ver == "1" }

// requestDocument is a request, or a wrapper around one.
type requestDocument struct {
	Native *Request `json:"native,omitempty"`
	Request
}

// responseDocument is a response, or a wrapper around one.
type responseDocument struct {
	Native *Response `json:"native,omitempty"`
	Response
}

// ParseRequest reads a native request from its text, and says whether it was wrapped. The options
// come from package wire. On failure the error is a [*wire.Error] about the text.
//
// The result owns its memory. Its strings share one copy of the text.
func ParseRequest(text string, opts ...wire.Option) (*Request, Wrapper, error) {
	d, err := parseRequestDocument([]byte(text), opts...)
	switch {
	case err != nil:
		return nil, Bare, err
	case d.Native != nil:
		return d.Native, Wrapped, nil
	}
	return &d.Request, Bare, nil
}

// ParseResponse reads a native ad from its text, and says whether it was wrapped; see
// [ParseRequest].
func ParseResponse(text string, opts ...wire.Option) (*Response, Wrapper, error) {
	d, err := parseResponseDocument([]byte(text), opts...)
	switch {
	case err != nil:
		return nil, Bare, err
	case d.Native != nil:
		return d.Native, Wrapped, nil
	}
	return &d.Response, Bare, nil
}

// RequestOf reads the native request of an impression, imp.Native. Without one, and with an
// empty text, errors.Is(err, wire.CodeEmpty) holds. Other errors wrap the [*wire.Error] of
// [ParseRequest], whose offset and path are those within the embedded text.
func RequestOf(n *openrtb.Native, opts ...wire.Option) (*Request, Wrapper, error) {
	text := ""
	if n != nil {
		text = n.Request
	}
	r, w, err := ParseRequest(text, opts...)
	if err != nil {
		return nil, Bare, fmt.Errorf("native: in the text of native.request: %w", err)
	}
	return r, w, nil
}

// ResponseOf reads the native ad of a bid; see [RequestOf]. A bid without adm, whose ad comes
// with the answer to the win notice, has an empty text. The bid's mtype, or the impression that
// it is for, tells whether it is a native ad at all.
func ResponseOf(b *openrtb.Bid, opts ...wire.Option) (*Response, Wrapper, error) {
	text := ""
	if b != nil {
		text = b.AdM
	}
	r, w, err := ParseResponse(text, opts...)
	if err != nil {
		return nil, Bare, fmt.Errorf("native: in the text of adm: %w", err)
	}
	return r, w, nil
}

// Encode returns the request as text for the request member of [openrtb.Native]. It fails
// only if an ext or customdata is not JSON, or a number is NaN or infinite. Bytes in strings
// that are not UTF-8 become U+FFFD; <, > and & are not escaped.
func (r *Request) Encode(w Wrapper) (string, error) {
	if r == nil {
		return "", errors.New("native: Encode of a nil *Request")
	}
	return encode(r, w)
}

// Encode returns the ad as text for the adm member of [openrtb.Bid]; see [Request.Encode].
func (r *Response) Encode(w Wrapper) (string, error) {
	if r == nil {
		return "", errors.New("native: Encode of a nil *Response")
	}
	return encode(r, w)
}

func encode(v coder.JSONAppender, w Wrapper) (string, error) {
	var b []byte
	if w {
		b = append(b, `{"native":`...)
	}
	b, err := v.AppendJSON(b)
	if err != nil {
		return "", fmt.Errorf("native: %w", err)
	}
	if w {
		b = append(b, '}')
	}
	return string(b), nil
}

// Asset returns the asset with the id, or nil. Ids are unique within a request.
func (r *Request) Asset(id int) *AssetRequest {
	for i := range r.Assets {
		if a := &r.Assets[i]; a.ID != nil && *a.ID == id {
			return a
		}
	}
	return nil
}

// Asset returns the asset that answers the asset of the request with the id, or nil.
func (r *Response) Asset(id int) *AssetResponse {
	for i := range r.Assets {
		if a := &r.Assets[i]; a.ID != nil && *a.ID == id {
			return a
		}
	}
	return nil
}
