package scrub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/internal/address"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// rewrite makes the edit of operation i of node n for a string without its escapes, or a number.
// What the operation is not for is removed.
func (m *Scratch) rewrite(n, i int, text string, isString bool) {
	ops := m.nodes[n].ops
	o := &ops[i]
	from := len(m.text)
	same, ok := false, false
	switch {
	case o.action == actHash:
		text, _, _ = strings.Cut(text, "\x00") // a reader in C sees no more
		if same, ok = isString && saysNothing(text), true; !same {
			m.text = append(o.hasher.append(append(m.text, '"'), text), '"')
		}
	case isString && (o.shape == shapeAddress || o.shape == shapeFree):
		if same, ok = text == "", true; !same {
			m.text = append(m.text, '"')
			m.text, same, ok = m.smallest(ops[i:]).address(m.text, text)
			m.text = append(m.text, '"')
		}
	case !isString && o.shape != shapeAddress && o.shape != shapeGeo:
		limit := 180.0
		if o.shape == shapeLatitude {
			limit = 90
		}
		m.text, same, ok = m.smallest(ops[i:]).coordinate(m.text, text, limit)
	}
	switch {
	case !ok:
		m.set(n, nil)
	case !same:
		m.set(n, slices.Clip(m.text[from:]))
	}
}

// smallest returns what all truncations that are on leave.
func (m *Scratch) smallest(ops []op) (c cut) {
	c = ops[0].cut
	for i := range ops[1:] {
		if o := &ops[1+i]; isOn(m.on, o.spec) {
			c = cut{min(c.ipv4, o.cut.ipv4), min(c.ipv6, o.cut.ipv6), min(c.decimals, o.cut.decimals)}
		}
	}
	return c
}

// hasher makes pseudonyms. It is shared by goroutines.
type hasher struct{ pool sync.Pool }

type hashing struct {
	mac hash.Hash
	sum []byte
}

func newHasher(key Key) *hasher {
	key = slices.Clone(key)
	return &hasher{sync.Pool{New: func() any { return &hashing{mac: hmac.New(sha256.New, key)} }}}
}

// append appends the pseudonym of s.
func (h *hasher) append(dst []byte, s string) []byte {
	a := h.pool.Get().(*hashing)
	a.mac.Reset()
	a.mac.Write(mem.Bytes(s))
	a.sum = a.mac.Sum(a.sum[:0])
	dst = hex.AppendEncode(dst, a.sum[:PseudonymLen/2])
	h.pool.Put(a)
	return dst
}

// saysNothing reports whether an identifier stands for none: it is empty, or all zeros, as in
// 00000000-0000-0000-0000-000000000000. A pseudonym would make one person of all who have it.
func saysNothing(id string) bool { return strings.Trim(id, "0-") == "" }

// cut is how much truncation leaves.
type cut struct{ ipv4, ipv6, decimals int }

// address appends the truncated address. same reports that it is the address itself, ok that text
// is an address.
func (c cut) address(dst []byte, text string) (out []byte, same, ok bool) {
	a, ok := address.Parse(text)
	if !ok {
		return dst, false, false
	}
	short := c.truncated(a)
	return short.AppendTo(dst), short == a, true
}

func (c cut) truncated(a netip.Addr) netip.Addr {
	if a.Is4In6() {
		return netip.AddrFrom16(c.truncated(a.Unmap()).As16())
	}
	bits := c.ipv6
	if _, before, ok := address.Inside(a); ok {
		if bits = before + c.ipv4; a.Is6() {
			bits = min(bits, c.ipv6)
		}
	}
	p, err := a.Prefix(bits)
	if err != nil {
		panic(err) // Compile checks the number of bits
	}
	return p.Addr()
}

// coordinate appends the truncated coordinate. same reports that it has no more decimals than it
// may, ok that its absolute value is not beyond the limit. A number beyond it may be one in other
// units, in which the digits before the point are the precise ones.
func (c cut) coordinate(dst []byte, text string, limit float64) (out []byte, same, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(v) > limit {
		return dst, false, false
	}
	from := len(dst)
	plain := !strings.ContainsAny(text, "eE")
	if plain {
		dst = append(dst, text...)
	} else {
		dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	point := slices.Index(dst[from:], '.')
	if point < 0 || len(dst)-from-point-1 <= c.decimals {
		return dst, plain, true
	}
	end := from + point
	if c.decimals > 0 {
		end += 1 + c.decimals
	}
	if dst = dst[:end]; isZero(dst[from:]) {
		dst = append(dst[:from], '0')
	}
	return dst, false, true
}

// isZero reports whether a number without exponent is 0 or -0.
func isZero(number []byte) bool {
	for _, b := range number {
		if b >= '1' {
			return false
		}
	}
	return true
}
