package legacy

import (
	"slices"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Reader decodes the objects that are still in an ext, in memory of its own: once warm it allocates
// nothing. One goroutine at a time may use it. Make it with [NewReader].
type Reader struct {
	eids, source, request embedded
}

// NewReader returns a reader. It reads leniently: values of the wrong type are common in an ext.
func NewReader() *Reader {
	lenient := func() embedded { return embedded{decoder: openrtb.NewDecoder(wire.Lenient())} }
	return &Reader{lenient(), lenient(), lenient()}
}

// embedded decodes one object at a time. It becomes a part of a request that has nothing else.
type embedded struct {
	decoder *openrtb.Decoder
	text    []byte
	doubt   Doubt
}

func (e *embedded) decode(before string, value []byte, after string) *openrtb.BidRequest {
	e.text = append(append(append(e.text[:0], before...), value...), after...)
	r, err := e.decoder.Decode(e.text)
	if err != nil {
		e.doubt.Unread = value[0] == '{' || value[0] == '['
		return nil
	}
	if e.decoder.Notes()&wire.NoteUnknownKey != 0 {
		e.doubt.Unknown = e.text[len(before) : len(before)+len(value)]
	}
	return r
}

// keptMax bounds the text that Reset keeps memory for.
const keptMax = 1 << 16

// Reset drops what the last calls have returned.
func (m *Reader) Reset() {
	for _, e := range [...]*embedded{&m.eids, &m.source, &m.request} {
		if len(e.text) == 0 {
			continue
		}
		e.decoder.Reset()
		e.doubt = Doubt{}
		if e.text = e.text[:0]; cap(e.text) > keptMax {
			e.text = nil
		}
	}
}

// EIDs returns user.eids and user.ext.eids. Both count. A conflict is that both are sent and name
// different sources or ids. The second list is valid until the next call with the same reader.
func (m *Reader) EIDs(r *openrtb.BidRequest) (field, ext []openrtb.EID, conflict bool) {
	if r.User == nil {
		return nil, nil, false
	}
	field = r.User.EIDs
	m.eids.doubt = Doubt{}
	if value, ok := Member(r.User.Ext, "eids"); ok {
		if d := m.eids.decode(`{"user":{"eids":`, value, `}}`); d != nil && d.User != nil {
			ext = d.User.EIDs
		}
	}
	same := func(a, b openrtb.EID) bool {
		return a.Source == b.Source && slices.EqualFunc(a.UIDs, b.UIDs, func(a, b openrtb.UID) bool { return a.ID == b.ID })
	}
	return field, ext, len(field) != 0 && len(ext) != 0 && !slices.EqualFunc(field, ext, same)
}

// Doubt is what another reader may see in a value in an ext that is not in what was decoded.
type Doubt struct {
	Unknown []byte // the text of the value, if it has keys that its types do not have
	Unread  bool   // the value is an object or an array, and its types differ too much
}

// Doubts returns the doubts about the values that the last calls of EIDs and SChain have read. They
// are valid until the next ones.
func (m *Reader) Doubts() (eids, source, request Doubt) {
	return m.eids.doubt, m.source.doubt, m.request.doubt
}

// Chains are the supply chains of a request, at the places that versions of OpenRTB had for them. A
// chain that is not there is nil.
type Chains struct {
	Field   *openrtb.SupplyChain // source.schain
	Source  *openrtb.SupplyChain // source.ext.schain, of version 2.5
	Request *openrtb.SupplyChain // ext.schain, of version 2.4

	// SourceConflict and RequestConflict report whether the chain in that place differs from
	// the one in the field.
	SourceConflict, RequestConflict bool
}

// SChain returns the supply chains. All count. A conflict is that two have different nodes, or that
// one is complete and the other is not. The chains out of an ext are valid until the next call.
func (m *Reader) SChain(r *openrtb.BidRequest) (c Chains) {
	if r.Source != nil {
		c.Field = r.Source.SChain
		c.Source = m.source.chain(r.Source.Ext)
	}
	c.Request = m.request.chain(r.Ext)
	c.SourceConflict = !sameChain(c.Field, c.Source)
	c.RequestConflict = !sameChain(c.Field, c.Request) || c.Field == nil && !sameChain(c.Source, c.Request)
	return c
}

func (e *embedded) chain(ext []byte) *openrtb.SupplyChain {
	e.doubt = Doubt{}
	value, ok := Member(ext, "schain")
	if !ok {
		return nil
	}
	if d := e.decode(`{"source":{"schain":`, value, `}}`); d != nil && d.Source != nil {
		return d.Source.SChain
	}
	return nil
}

// sameChain reports whether two chains say the same, or one is missing.
func sameChain(a, b *openrtb.SupplyChain) bool {
	if a == nil || b == nil {
		return true
	}
	complete := func(c *openrtb.SupplyChain) bool { return c.Complete != nil && *c.Complete == 1 }
	return complete(a) == complete(b) && slices.EqualFunc(a.Nodes, b.Nodes, func(a, b openrtb.SupplyChainNode) bool {
		return a.ASI == b.ASI && a.SID == b.SID
	})
}
