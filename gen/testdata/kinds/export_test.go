package kinds

import (
	"slices"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// DecodeBundle decodes a document into memory that it has for itself, as ParseRootFast does, with the options of d. It
// returns what lenient mode repaired as well.
func (d *RootDecoder) DecodeBundle(data []byte) (*Root, []wire.Saved, error) {
	d.Reset()
	b := new(bundleRoot)
	d.c.useRoot(b)
	v := &b.root
	err := d.c.parseRoot(v, data)
	saved := slices.Clone(d.c.r.Saved())
	d.c.drop()
	return v, saved, err
}

// Guessing switches the predictions of the next key on or off, for all objects, until the next document is read.
func (d *RootDecoder) Guessing(on bool) {
	c := &d.c
	for _, o := range []*coder.Order{
		&c.nextRoot, &c.nextScalars, &c.nextPointers, &c.nextSlices, &c.nextNamed, &c.nextObjects, &c.nextKeys, &c.nextHundred,
		&c.nextSmall, &c.nextZero, &c.nextTree, &c.nextEven, &c.nextOdd, &c.nextEmbedder, &c.nextLongKeys, &c.nextOmitted,
	} {
		o.Mask = 0
		if on {
			o.Mask = 0xff
		}
	}
}
