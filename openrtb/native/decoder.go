package native

import "github.com/rtbwire/rtbwire/wire"

// Decoder decodes one payload after another in memory of its own: once warm it allocates nothing.
// One goroutine at a time may use it. The zero value is ready for use; it accepts exact grammar and
// types, and skips unknown keys.
type Decoder struct {
	c        codec
	request  requestDocument
	response responseDocument
	options  []wire.Option
}

// NewDecoder returns a decoder with options.
func NewDecoder(opts ...wire.Option) *Decoder {
	d := &Decoder{options: opts}
	d.c.r.Configure(opts...)
	return d
}

// Notes says what the last payload has, if it was accepted.
func (d *Decoder) Notes() wire.Notes { return d.c.r.Notes() }

// Request decodes a native request, and says whether it was wrapped. The result shares the memory
// of data, and is valid until data is changed and until the next call of one of the decoder's
// methods. On failure the error is a [*wire.Error] about the data.
func (d *Decoder) Request(data []byte) (*Request, Wrapper, error) {
	d.Reset()
	if err := d.c.parserequestDocument(&d.request, data); err != nil {
		return nil, Bare, err
	}
	if r := d.request.Native; r != nil {
		return r, Wrapped, nil
	}
	return &d.request.Request, Bare, nil
}

// Response decodes a native ad, and says whether it was wrapped; see [Decoder.Request].
func (d *Decoder) Response(data []byte) (*Response, Wrapper, error) {
	d.Reset()
	if err := d.c.parseresponseDocument(&d.response, data); err != nil {
		return nil, Bare, err
	}
	if r := d.response.Native; r != nil {
		return r, Wrapped, nil
	}
	return &d.response.Response, Bare, nil
}

// Reset ends the validity of the last result and drops its text. It keeps memory for the next one,
// unless this one needed unusually much.
func (d *Decoder) Reset() {
	d.request, d.response = requestDocument{}, responseDocument{}
	if d.c.r.Retained() > keepBytes {
		d.c = codec{}
		d.c.r.Configure(d.options...)
		return
	}
	d.c.reset()
	d.c.r.Reset()
}
