package lists

import (
	"math/bits"

	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/urlhost"
)

// LabelsMax is the largest number of labels of an entry. It bounds the work of a lookup.
const LabelsMax = 32

// matchDomain reports whether the table has the name or one that it is a subdomain of.
func (t *Table) matchDomain(value string) bool {
	var l canonical.Labels
	if l.Split(value) {
		return t.hasSuffix(value, &l)
	}
	return t.matchOtherDomain(value)
}

// matchOtherDomain is matchDomain for values in another form. Its buffer is not paid for by those
// in canonical form.
func (t *Table) matchOtherDomain(value string) bool {
	var buf [canonical.DomainMax]byte
	text, ok := canonical.AppendDomain(buf[:0], hostOf(value))
	if !ok {
		return false
	}
	var l canonical.Labels
	return l.Split(viewOf(text)) && t.hasSuffix(viewOf(text), &l)
}

// hasSuffix looks up the suffixes with as many labels as some entry has.
func (t *Table) hasSuffix(name string, l *canonical.Labels) bool {
	known := t.labels
	if l.N < LabelsMax {
		known &= 1<<l.N - 1
	}
	for ; known != 0; known &= known - 1 {
		if t.set.has(l.Last(name, bits.TrailingZeros32(known)+1)) {
			return true
		}
	}
	return false
}

// hostOf returns the host of a value, a name or a URL, as the most lenient readers find it.
func hostOf(value string) string {
	return urlhost.Host(blank.Trim(canonical.UpToNUL(urlhost.TrimControls(value))))
}
