//go:build rtbwiredebug

package gateway

// poison overwrites the memory of a request that is answered, so that whoever still reads it is
// noticed.
func poison(b *buffers) {
	for _, buffer := range b.all() {
		memory := (*buffer)[:cap(*buffer)]
		for i := range memory {
			memory[i] = '#'
		}
	}
}
