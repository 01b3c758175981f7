// Package legacy reads values that OpenRTB 2.6 has in a field, and earlier versions or common
// practice in an ext: gdpr, consent, eids, schain and others. Both places count, because most
// traffic still has the old one. Where both are sent and disagree, [Row.Conflict] says which
// reading counts; it is the stricter one.
//
// The functions allocate nothing, and look into an ext only if it has the name. The values of an
// ext that are not of the type that the field has count as absent; flags and numbers may be quoted,
// and flags may be true or false, because such values are common there.
package legacy

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/consent"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Reading says how two places that disagree are read.
type Reading uint8

// The readings.
const (
	One    Reading = iota // a flag is 1 if one of them is
	Absent                // neither counts: there is no valid string
	OptOut                // the string with an opt-out counts, otherwise the field
	Both                  // the values of both count
	Field                 // the field counts
)

var readingNames = [...]string{One: "one", Absent: "absent", OptOut: "optout", Both: "both", Field: "field"}

// String returns "one", "absent", "optout", "both" or "field".
func (r Reading) String() string {
	if int(r) < len(readingNames) {
		return readingNames[r]
	}
	return "Reading(" + strconv.Itoa(int(r)) + ")"
}

// Row is a legacy field: a value with an old place and a new one.
type Row struct {
	Object   string // in the specification
	From     string // JSON Pointer of the old place, from the object
	To       string // JSON Pointer of the field, from the object
	Conflict Reading
	Rule     string // id of the rule of package schema about places that disagree
}

// Table returns all legacy fields. The caller owns the slice.
func Table() []Row { return slices.Clone(table[:]) }

// GDPR returns regs.gdpr.
func GDPR(r *openrtb.BidRequest) (value int, ok, conflict bool) {
	if r.Regs == nil {
		return 0, false, false
	}
	return one(r.Regs.GDPR, r.Regs.Ext, "gdpr")
}

// Rewarded returns rwdd of an impression, which some servers have in ext.prebid.
func Rewarded(imp *openrtb.Imp) (value int, ok, conflict bool) {
	prebid, _ := Member(imp.Ext, "prebid")
	return one(imp.Rwdd, prebid, "is_rewarded_inventory")
}

// one reads a flag at both places.
func one(field *int, ext []byte, name string) (value int, ok, conflict bool) {
	old, found := Flag(ext, name)
	switch {
	case field == nil:
		return old, found, false
	case !found || old == *field:
		return *field, true, false
	case old == 1:
		return 1, true, true
	}
	return *field, true, true
}

// Consent returns user.consent.
func Consent(r *openrtb.BidRequest) (value string, ok, conflict bool) {
	if r.User == nil {
		return "", false, false
	}
	return absent(r.User.Consent, r.User.Ext, "consent")
}

// GPP returns regs.gpp.
func GPP(r *openrtb.BidRequest) (value string, ok, conflict bool) {
	if r.Regs == nil {
		return "", false, false
	}
	return absent(r.Regs.GPP, r.Regs.Ext, "gpp")
}

// TCF returns user.consent if it begins like a string of TCF. Anything else, such as a blank, says
// nothing about consent and counts as absent.
func TCF(r *openrtb.BidRequest) (value string, ok bool) {
	value, _, _ = Consent(r)
	if !consent.Header(value) {
		return "", false
	}
	return value, true
}

// absent reads a string at both places, and none if they disagree.
func absent(field string, ext []byte, name string) (value string, ok, conflict bool) {
	old, other := texts(ext, name)
	switch {
	case old == "":
		old = other
	case other != "" && other != old:
		return "", false, true
	}
	switch {
	case field == "":
		return old, old != "", false
	case old != "" && old != field:
		return "", false, true
	}
	return field, true, false
}

// USPrivacy returns regs.us_privacy.
func USPrivacy(r *openrtb.BidRequest) (value string, ok, conflict bool) {
	if r.Regs == nil {
		return "", false, false
	}
	field := r.Regs.USPrivacy
	old, other := texts(r.Regs.Ext, "us_privacy")
	if old == "" || optOut(other) && !optOut(old) {
		old = other
	}
	switch {
	case field == "":
		return old, old != "", false
	case old == "" || old == field:
		return field, true, false
	case !optOut(field) && optOut(old):
		return old, true, true
	}
	return field, true, true
}

// optOut reports whether a US privacy string says that the person has opted out of sale.
func optOut(s string) bool {
	const at = 2 // after the version and the notice
	return len(s) > at && (s[at] == 'Y' || s[at] == 'y')
}

// GPPSID appends the sections of regs.gpp_sid at both places to dst, each once. A conflict is that
// both places are sent and list different sections.
func GPPSID(dst []adcom.GPPSection, r *openrtb.BidRequest) (sections []adcom.GPPSection, conflict bool) {
	if r.Regs == nil {
		return dst, false
	}
	from := len(dst)
	for _, s := range r.Regs.GPPSID {
		dst = appendOnce(dst, from, s)
	}
	inField := len(dst) - from
	var common uint64 // a bit for each section of the field that ext has too
	inExt := 0
	Elements(r.Regs.Ext, "gpp_sid", func(value []byte) {
		n, ok := Integer(value)
		if !ok {
			return
		}
		inExt++
		if i := slices.Index(dst[from:from+inField], adcom.GPPSection(n)); i >= 0 {
			common |= 1 << i
		}
		dst = appendOnce(dst, from, adcom.GPPSection(n))
	})
	return dst, inField != 0 && inExt != 0 && (len(dst)-from != inField || bits.OnesCount64(common) != inField)
}

// sectionsMax bounds the list of sections, which is searched.
const sectionsMax = 64

func appendOnce(dst []adcom.GPPSection, from int, s adcom.GPPSection) []adcom.GPPSection {
	if len(dst)-from < sectionsMax && !slices.Contains(dst[from:], s) {
		dst = append(dst, s)
	}
	return dst
}

// InventoryPartnerDomain returns the member of the site or the app.
func InventoryPartnerDomain(r *openrtb.BidRequest) (value string, ok, conflict bool) {
	switch {
	case r.Site != nil:
		return field(r.Site.InventoryPartnerDomain, r.Site.Ext, "inventorypartnerdomain")
	case r.App != nil:
		return field(r.App.InventoryPartnerDomain, r.App.Ext, "inventorypartnerdomain")
	}
	return "", false, false
}

// field reads a string at both places, and prefers the field.
func field(value string, ext []byte, name string) (string, bool, bool) {
	old, _ := Text(ext, name)
	if value == "" {
		return old, old != "", false
	}
	return value, true, old != "" && old != value
}

// CIDs calls a function with the values of data.cids at both places. A conflict is that both are
// sent and ext has a value that the field lacks.
func CIDs(d *openrtb.Data, visit func(id string)) (conflict bool) {
	for _, id := range d.CIDs {
		visit(id)
	}
	Elements(d.Ext, "cids", func(value []byte) {
		if id, ok := text(value); ok {
			if len(d.CIDs) != 0 && !slices.Contains(d.CIDs[:min(len(d.CIDs), sectionsMax)], id) {
				conflict = true
			}
			visit(id)
		}
	})
	return conflict
}

// Member returns the value of a member of an object, as text. Of a repeated key the last one
// counts, as for decoders. Without the key, one that some reader takes for it counts: in another
// letter case, or with a NUL after it. The object must be valid JSON; any other value has no
// members.
func Member(object []byte, name string) (value []byte, ok bool) {
	value, other := find(object, name)
	if value == nil {
		value = other
	}
	return value, value != nil
}

// find returns the value of a member with the name, and of one whose key some reader takes for it.
func find(object []byte, name string) (value, other []byte) {
	if !MayHave(object, name) {
		return nil, nil
	}
	for m := walk(object); m.next(); {
		switch isKey(m.key, name) {
		case same:
			value = m.value
		case alike:
			other = m.value
		}
	}
	return value, other
}

// members walks an object. Any other value has none. Make it with walk; next moves to a member.
type members struct {
	object     []byte
	p          int // before a member; the end, if there are no more
	key, value []byte
}

func walk(object []byte) members {
	p := grammar.SpaceEnd(object, 0)
	if p < len(object) && object[p] != '{' {
		p = len(object)
	}
	return members{object: object, p: p}
}

func (m *members) next() bool {
	object := m.object
	if m.p == len(object) {
		return false
	}
	start := grammar.SpaceEnd(object, m.p+1)
	if start == len(object) || object[start] != '"' {
		return false
	}
	end := grammar.ValueEnd(object, start)
	if end == 0 {
		return false
	}
	m.key = object[start+1 : end-1]
	p := grammar.SpaceEnd(object, end)
	if p == len(object) || object[p] != ':' {
		return false
	}
	start = grammar.SpaceEnd(object, p+1)
	if end = grammar.ValueEnd(object, start); end == 0 {
		return false
	}
	m.value = object[start:end]
	if m.p = grammar.SpaceEnd(object, end); m.p < len(object) && object[m.p] != ',' {
		m.p = len(object)
	}
	return true
}

// likeness is how a key compares with a name.
type likeness uint8

const (
	different likeness = iota
	alike              // in another letter case, or with a NUL after it
	same
)

func isKey(key []byte, name string) likeness {
	if string(key) == name {
		return same
	}
	text := mem.String(key)
	if bytes.IndexByte(key, '\\') >= 0 {
		if text = grammar.Unescape(key); text == name {
			return same
		}
	}
	if Alike(text, name) {
		return alike
	}
	return different
}

// Alike reports whether some reader takes a key, without escapes, for a name.
func Alike(key, name string) bool {
	key, _, _ = strings.Cut(key, "\x00") // a reader in C sees no more
	return strings.EqualFold(key, name)  // as encoding/json compares
}

// MayHave reports whether an object may have a member that some reader takes for the name, at any
// depth, without looking closely: most do not. It looks for a quote and the first two letters in
// either case, and for bytes that can stand for others.
func MayHave(object []byte, name string) bool {
	const (
		least = len(`{"":0}`)
		ones  = 0x0101_0101_0101_0101
		high  = 0x80 * ones
		fold  = 0x20 * ones
		word  = 8
	)
	if len(object) < least+len(name) || len(name) < 2 {
		return len(name) < 2
	}
	// Nothing but an escape stands for an underscore, and few keys have one.
	if strings.IndexByte(name, '_') >= 0 && bytes.IndexByte(object, '_') < 0 && bytes.IndexByte(object, '\\') < 0 {
		return false
	}
	first, second := ones*uint64(name[0]|0x20), ones*uint64(name[1]|0x20)
	const quote = ones * '"'
	const step = word - 2                                           // the two letters after a quote are in the same word
	zero := func(w uint64) uint64 { return (w - ones) &^ w & high } // not 0 if a byte is
	i := 0
	for ; i+word <= len(object); i += step {
		w := binary.LittleEndian.Uint64(object[i:])
		folded := w | fold
		// In the two highest bytes the letters are those of the next word, and shifted out.
		if zero(w^quote)&(zero(folded^first)>>8)&(zero(folded^second)>>16)|zero(w^ones*'\\')|w&high != 0 {
			return true
		}
	}
	for ; i < len(object); i++ {
		c := object[i]
		if c == '\\' || c >= utf8.RuneSelf || c == '"' && i+2 < len(object) && object[i+1]|0x20 == name[0]|0x20 && object[i+2]|0x20 == name[1]|0x20 {
			return true
		}
	}
	return false
}

// Elements calls a function with the elements of an array that is a member of an object.
func Elements(object []byte, name string, visit func(value []byte)) {
	if list, ok := Member(object, name); ok {
		elements(list, visit)
	}
}

// elements calls a function with the elements of an array. Any other value has none.
func elements(list []byte, visit func(value []byte)) {
	if list[0] != '[' {
		return
	}
	for p := 0; ; {
		start := grammar.SpaceEnd(list, p+1)
		end := grammar.ValueEnd(list, start)
		if end == 0 {
			return
		}
		visit(list[start:end])
		if p = grammar.SpaceEnd(list, end); p == len(list) || list[p] != ',' {
			return
		}
	}
}

// Unread reports whether a member, or one whose key some reader takes for the name, has a value
// that counts as absent because it can't be read. null and an empty string are absent for all
// readers.
func Unread(object []byte, name string, reads func(value []byte) bool) bool {
	value, other := find(object, name)
	unread := func(value []byte) bool {
		return len(value) != 0 && string(value) != "null" && string(value) != `""` && !reads(value)
	}
	return unread(value) || unread(other)
}

// ReadsFlag reports whether a value is read as a flag.
func ReadsFlag(value []byte) bool {
	_, ok := flag(value)
	return ok
}

// ReadsText reports whether a value is read as a string.
func ReadsText(value []byte) bool {
	_, ok := text(value)
	return ok
}

// ReadsIntegers reports whether a value is an array whose elements are all read as integers.
func ReadsIntegers(value []byte) bool {
	return all(value, func(element []byte) bool {
		_, ok := Integer(element)
		return ok
	})
}

// ReadsTexts reports whether a value is an array whose elements are all read as strings.
func ReadsTexts(value []byte) bool { return all(value, ReadsText) }

// all reports whether a value is an array whose elements are all as wanted.
func all(list []byte, want func(element []byte) bool) bool {
	ok := list[0] == '['
	elements(list, func(element []byte) { ok = ok && want(element) })
	return ok
}

// Flag returns a member that is a flag. Of two keys that some reader takes for the name, a 1
// counts.
func Flag(object []byte, name string) (value int, ok bool) {
	v, other := find(object, name)
	value, ok = flag(v)
	if second, also := flag(other); also && (!ok || second == 1) {
		return second, true
	}
	return value, ok
}

func flag(value []byte) (n int, ok bool) {
	switch string(value) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	return Integer(value)
}

// Integer reads a number, which may be quoted, and drops its fraction.
func Integer(value []byte) (n int, ok bool) {
	digits := mem.String(value)
	if quoted, ok := text(value); ok {
		digits = quoted
	}
	if v, ok := grammar.TowardZero(digits); ok && grammar.IsNumber(digits) {
		return grammar.Fit[int](v)
	}
	return 0, false
}

// Text returns a member that is a string. It shares the memory of the object, unless it has
// escapes.
func Text(object []byte, name string) (value string, ok bool) {
	v, found := Member(object, name)
	if !found {
		return "", false
	}
	return text(v)
}

// texts returns a member that is a string, and one whose key some reader takes for the name.
func texts(object []byte, name string) (value, other string) {
	v, o := find(object, name)
	value, _ = text(v)
	other, _ = text(o)
	return value, other
}

func text(value []byte) (string, bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	inside := value[1 : len(value)-1]
	if bytes.IndexByte(inside, '\\') >= 0 {
		return grammar.Unescape(inside), true
	}
	return mem.String(inside), true
}
