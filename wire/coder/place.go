package coder

// Place is where the member "ext" of a document is, as its decoder has found it. With it edits
// below /ext need not read the document again. The zero value knows nothing.
type Place struct {
	Brace    int // where the document's closing brace is, 0 if nothing is known
	From, To int // the value, if it came once; 0 without one, -1 if it came twice or is null
}

// RawExt is [Reader.Raw] for a member "ext". It notes where that of the document itself is, which
// is one level below the limit of depth.
func (r *Reader) RawExt(p, depth int) ([]byte, int) {
	text, end := r.Raw(p, depth)
	if depth+1 == r.options.Depth {
		if r.ext.From == 0 && end > 0 {
			r.ext.From, r.ext.To = p, end
		} else {
			r.ext.From, r.ext.To = -1, -1
		}
	}
	return text, end
}

// Place returns where the member "ext" of the last document is, if that is decoded and data is
// its memory, and else a place that knows nothing.
func (r *Reader) Place(data []byte) Place {
	if len(data) == 0 || len(data) != len(r.data) || &data[0] != &r.data[0] || r.failed != 0 {
		return Place{}
	}
	return Place{Brace: r.n - 1, From: r.ext.From, To: r.ext.To}
}

// Document returns the text of the last document, nil after Reset.
func (r *Reader) Document() []byte { return r.data }
