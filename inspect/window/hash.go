package window

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"strings"

	"github.com/rtbwire/rtbwire/internal/address"
	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/openrtb"
)

// keys are the hashes of what is counted of a request. 0 is for what it lacks.
type keys struct {
	id, ifa, address uint64
	delivery         uint64
	idMissing        bool // id is the delivery's
}

// keys returns the hashes of a request. The salt sets partners apart that share tables.
func (w *Windows) keys(r *openrtb.BidRequest, d Delivery, salt uint64) (k keys) {
	if d != (Delivery{}) {
		k.delivery = max(w.hashDelivery(d)^salt, 1)
	}
	if id := blank.Trim(r.ID); id != "" {
		k.id = max(maphash.String(w.seed, id)^salt, 1)
	} else {
		k.id, k.idMissing = k.delivery, true
	}
	if r.Device == nil {
		return k
	}
	if hash, ok := w.hashIFA(r.Device.IFA); ok {
		k.ifa = max(hash^salt, 1)
	}
	a, ok := address.Read(r.Device.IP)
	if !ok || a.IsUnspecified() {
		a, ok = address.Read(r.Device.IPv6)
	}
	if ok && !a.IsUnspecified() {
		k.address = max(w.hashAddress(a)^salt, 1)
	}
	return k
}

// again returns the hash of a duplicate's delivery.
func (k *keys) again() uint64 { return max((k.id^k.delivery)*mixer, 1) }

func (w *Windows) hashDelivery(d Delivery) uint64 {
	var b [12]byte
	binary.LittleEndian.PutUint64(b[:], uint64(d.Offset))
	binary.LittleEndian.PutUint32(b[8:], uint32(d.Partition))
	return maphash.Bytes(w.seed, b[:]) ^ maphash.String(w.seed, d.Topic)
}

// hashAddress returns the hash of an IPv4 address in either form, or of the prefix of an IPv6 one.
func (w *Windows) hashAddress(a netip.Addr) uint64 {
	if a = a.Unmap(); a.Is4() {
		b := a.As4()
		return maphash.Bytes(w.seed, b[:])
	}
	b := a.As16()
	whole := w.options.IPv6Bits / 8
	if whole < len(b) {
		b[whole] &= ^(0xff >> (w.options.IPv6Bits % 8))
		clear(b[whole+1:])
	}
	return maphash.Bytes(w.seed, b[:])
}

// hashIFA returns the hash of an identifier. Letter case, hyphens, and white space and braces
// around it don't count: a sender can't make another device by them. It refuses the empty one, that
// of all zeros, and what is too long.
func (w *Windows) hashIFA(s string) (hash uint64, ok bool) {
	s = blank.Trim(s)
	if len(s) > 1 && s[0] == '{' && s[len(s)-1] == '}' {
		s = blank.Trim(s[1 : len(s)-1])
	}
	if len(s) > IFALen || zeros(s) {
		return 0, false
	}
	var b [IFALen]byte
	n := 0
	for rest, more := s, true; more; {
		var part string
		part, rest, more = strings.Cut(rest, "-")
		n += copy(b[n:], part)
	}
	for i := 0; i < n; i += 8 {
		word := b[i:][:8]
		binary.LittleEndian.PutUint64(word, lower(binary.LittleEndian.Uint64(word)))
	}
	return maphash.Bytes(w.seed, b[:n]), true
}

// zeros reports whether a text consists of zeros and hyphens.
func zeros(s string) bool {
	for i := range len(s) {
		if s[i] != '0' && s[i] != '-' {
			return false
		}
	}
	return true
}

// lower returns 8 bytes with the letters of ASCII in lower case.
func lower(x uint64) uint64 {
	const ones = 0x0101010101010101
	const low7 = 0x7f * ones
	atLeastA := x&low7 + (0x80-'A')*ones
	aboveZ := x&low7 + (0x80-'Z'-1)*ones
	return x | (atLeastA&^aboveZ&^x&(0x80*ones))>>2
}
