package lists

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/address"
	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// Kind is what the entries of a list are, and so how they are compared.
type Kind string

// The kinds of lists. docs/policy.md has the canonical form of each.
const (
	Domain Kind = "domain" // a domain name; it matches itself and its subdomains
	Bundle Kind = "bundle" // the id of an app in its store
	Prefix Kind = "prefix" // a CIDR prefix, or an address
	String Kind = "string" // any text
	Seller Kind = "seller" // the domain of an advertising system, a seller's id there, and their relationship
)

// Kinds are all kinds.
var Kinds = []Kind{Domain, Bundle, Prefix, String, Seller}

// Relationship is that of a seller to the advertising system, as ads.txt declares it. A seller can
// be both.
type Relationship uint8

// The bits of a Relationship.
const (
	Direct Relationship = 1 << iota
	Reseller
)

// sellerMax is the longest id of a seller that is looked up.
const sellerMax = 512

// Table is the content of a list: immutable, for all goroutines.
type Table struct {
	kind     Kind
	entries  int
	set      *hashSet   // all kinds but Prefix
	labels   uint32     // Domain: bit n is set if an entry has n+1 labels
	prefixes *addresses // Prefix
}

// Kind returns the kind of the entries.
func (t *Table) Kind() Kind { return t.kind }

// Len returns the number of different entries; of prefixes, the number of ranges after those that
// overlap or touch are merged.
func (t *Table) Len() int { return t.entries }

// Match reports whether the list has the value. The value is brought into canonical form first.
// For domains that are not in ASCII this allocates; otherwise Match does not. A value ends at the
// first NUL, as for a reader in C.
//
// A value of a list of sellers is the domain, a comma and the id.
func (t *Table) Match(value string) bool {
	switch t.kind {
	case Domain:
		return t.matchDomain(value)
	case Bundle:
		return t.matchBundle(value)
	case Prefix:
		a, ok := address.Read(value)
		return ok && t.MatchAddr(a)
	case Seller:
		domain, id, _ := strings.Cut(canonical.UpToNUL(value), ",")
		_, found := t.Seller(domain, id)
		return found
	default:
		return t.set.has(canonical.UpToNUL(value))
	}
}

// matchBundle reports whether the table has the id of an app. Its buffer is not paid for by other
// kinds.
func (t *Table) matchBundle(value string) bool {
	var buf [canonical.BundleMax]byte
	id, ok := canonical.FoldBundle(&buf, canonical.UpToNUL(value))
	return ok && t.set.has(id)
}

// MatchAddr reports whether a list of prefixes has the address, or the IPv4 address inside it.
// Other lists have none.
func (t *Table) MatchAddr(a netip.Addr) bool {
	if t.prefixes == nil {
		return false
	}
	a = a.Unmap().WithZone("")
	if t.prefixes.contains(a) {
		return true
	}
	if a.Is4() {
		return false
	}
	v4, _, ok := address.Inside(a)
	return ok && t.prefixes.contains(v4)
}

// Seller reports whether a list of sellers has the seller, and the relationship that it declares;
// 0 if it declares none. Other lists have no sellers.
func (t *Table) Seller(domain, id string) (r Relationship, found bool) {
	if t.kind != Seller {
		return 0, false
	}
	var buf [canonical.DomainMax + 1 + sellerMax]byte
	key, ok := appendSeller(buf[:0], hostOf(domain), canonical.UpToNUL(id))
	if !ok {
		return 0, false
	}
	tail, found := t.set.find(viewOf(key))
	if !found {
		return 0, false
	}
	return Relationship(tail[0]), true
}

// appendSeller appends the key of a seller.
func appendSeller(dst []byte, domain, id string) ([]byte, bool) {
	dst, ok := canonical.AppendDomain(dst, blank.Trim(domain))
	id = blank.Trim(id)
	if !ok || id == "" || len(id) > sellerMax {
		return dst, false
	}
	return append(append(dst, ','), id...), true
}

// viewOf returns b as a string that is not kept.
func viewOf(b []byte) string { return mem.String(b) }

// What entries look like. Errors say no more than that: an entry can be personal data.
var (
	errDomain = errors.New("expected a domain such as example.com, without scheme, port and path, of at most 32 labels of 1 to 63 characters")
	errBundle = errors.New("expected the id of an app such as com.example.app or 123456789, without white space, of at most 512 bytes")
	errPrefix = errors.New("expected an address or a prefix such as 192.0.2.0/24 or 2001:db8::/32")
	errString = errors.New("expected UTF-8 without control characters")
	errSeller = errors.New("expected a domain, a seller's id of at most 512 bytes and perhaps DIRECT or RESELLER, such as example.com, 1234, DIRECT")
	errArena  = errors.New("the list is too large: expected less than 4 GiB of entries")
)

// builder makes a Table.
type builder struct {
	table Table
	set   setBuilder
	buf   []byte
}

func newBuilder(kind Kind) *builder {
	b := &builder{table: Table{kind: kind}}
	switch kind {
	case Prefix:
		b.table.prefixes = new(addresses)
	case Seller:
		b.set.tail = 1
	}
	return b
}

// add adds an entry: the fields of its line. All kinds but Seller read the first one. It returns
// one of the errors above.
func (b *builder) add(fields ...string) error {
	entry := fields[0]
	switch b.table.kind {
	case Domain:
		return b.addDomain(entry)
	case Bundle:
		var buf [canonical.BundleMax]byte
		entry, ok := bundleOf(&buf, entry)
		if !ok {
			return errBundle
		}
		return b.set.add(entry)
	case Prefix:
		p, ok := parsePrefix(blank.Trim(entry))
		if !ok {
			return errPrefix
		}
		b.table.prefixes.add(p)
		return nil
	case Seller:
		return b.addSeller(fields)
	default:
		if entry == "" || strings.ContainsFunc(entry, isControl) || !utf8.ValidString(entry) {
			return errString
		}
		return b.set.add(entry)
	}
}

// bundleOf returns an entry of a list of apps in the form that is compared.
func bundleOf(buf *[canonical.BundleMax]byte, entry string) (string, bool) {
	entry, ok := canonical.FoldBundle(buf, entry)
	return entry, ok && entry != "" && utf8.ValidString(entry) && !strings.ContainsFunc(entry, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// Canonical returns an entry of a list of domains, apps or prefixes in the form that is compared.
func Canonical(kind Kind, entry string) (string, error) {
	switch kind {
	case Domain:
		var l canonical.Labels
		text, ok := canonical.AppendDomain(nil, blank.Trim(entry))
		if name := string(text); ok && l.Split(name) && l.N <= LabelsMax {
			return name, nil
		}
		return "", errDomain
	case Bundle:
		var buf [canonical.BundleMax]byte
		if id, ok := bundleOf(&buf, entry); ok {
			return strings.Clone(id), nil
		}
		return "", errBundle
	case Prefix:
		p, ok := parsePrefix(blank.Trim(entry))
		if !ok {
			return "", errPrefix
		}
		if p.IsSingleIP() {
			return p.Addr().String(), nil
		}
		return p.String(), nil
	}
	return "", fmt.Errorf("lists of the kind %s have no canonical form", kind)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func (b *builder) addDomain(entry string) error {
	var l canonical.Labels
	var ok bool
	if !l.Split(entry) {
		if b.buf, ok = canonical.AppendDomain(b.buf[:0], blank.Trim(entry)); !ok || !l.Split(viewOf(b.buf)) {
			return errDomain
		}
		entry = viewOf(b.buf)
	}
	if l.N > LabelsMax {
		return errDomain
	}
	b.table.labels |= 1 << (l.N - 1)
	return b.set.add(entry)
}

func (b *builder) addSeller(fields []string) error {
	if len(fields) < 2 {
		return errSeller
	}
	var ok bool
	if b.buf, ok = appendSeller(b.buf[:0], fields[0], fields[1]); !ok || strings.ContainsFunc(viewOf(b.buf), isControl) {
		return errSeller
	}
	var r Relationship
	if len(fields) > 2 {
		switch f := blank.Trim(fields[2]); {
		case strings.EqualFold(f, "DIRECT"):
			r = Direct
		case strings.EqualFold(f, "RESELLER"):
			r = Reseller
		case f != "":
			return errSeller
		}
	}
	return b.set.add(viewOf(b.buf), byte(r))
}

// finish returns the table. The builder is used up.
func (b *builder) finish() *Table {
	t := &b.table
	if t.prefixes != nil {
		t.prefixes.finish()
		t.entries = t.prefixes.len()
		return t
	}
	t.set = b.set.finish(func(into, tail []byte) { into[0] |= tail[0] }) // both relationships
	t.entries = t.set.entries
	return t
}
