//go:build rtbwiredebug

package coder

// retired keeps the chunks that unescaped strings of the last document are in, besides the
// current one, so that Spoil finds them.
type retired struct{ chunks [][]byte }

func (r *retired) add(chunk []byte) {
	if chunk != nil {
		r.chunks = append(r.chunks, chunk)
	}
}

func (r *retired) forget() { r.chunks = nil }

// Spoil overwrites the unescaped strings of the last document, so that whoever has kept one
// sees it. Only this build has it.
func (r *Reader) Spoil() {
	for _, chunk := range append(r.unescaped.retired.chunks, r.unescaped.buf) {
		for i := range chunk {
			chunk[i] = '!'
		}
	}
}
