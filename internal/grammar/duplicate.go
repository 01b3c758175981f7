package grammar

import "github.com/rtbwire/rtbwire/internal/seen"

// Repeated returns the offset of the first key that its object had before, at any depth.
// The document is valid.
func Repeated(data []byte) (at int, found bool) {
	d := duplicates{data: data}
	s := Scanner{Data: data, Depth: DepthMost, Tolerant: true, follower: &d}
	s.Document()
	return d.at, d.found
}

// duplicates follows a walk and ends it at a key that comes twice.
type duplicates struct {
	data  []byte
	keys  seen.Groups
	at    int
	found bool
}

func (d *duplicates) reached(int) bool { return true }

func (d *duplicates) open(bool, bool) { d.keys.Open() }

func (d *duplicates) key(start, end int) bool {
	if _, repeated := d.keys.Add(Unescape(d.data[start:end])); repeated {
		d.at, d.found = start-1, true
	}
	return !d.found
}

func (d *duplicates) comma() {}

func (d *duplicates) close() { d.keys.Close() }

func (d *duplicates) broken() {}
