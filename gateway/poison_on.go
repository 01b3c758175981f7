//go:build rtbwiredebug

package gateway

// poison overwrites the memory of a request that is answered, so that whoever still reads it is
// noticed.
func poison(b *buffers) {
	for _, buffer := range [][]byte{b.inflated, b.spliced, b.answer, b.edited, b.compressed, b.inflatedAnswer, b.scratch, b.idBytes, b.traceID, b.tmaxText, b.publisher} {
		buffer = buffer[:cap(buffer)]
		for i := range buffer {
			buffer[i] = '#'
		}
	}
}
