//go:build (amd64 || arm64) && !noasm && !purego

package literals

// findShort calls the kernel for fewer than 64 positions. Kernels read whole blocks, so the text is
// copied to where there is one.
func (t *Table) findShort(dst []Block, text []byte, from, whole int, stop bool) (count, next int, marked bool) {
	var padded [blockSize + WindowSize - 1]byte
	copy(padded[:], text[from:whole+WindowSize-1])
	var found [1]Block
	count, _, _ = t.kernel(found[:], padded[:], 0, blockSize, false)
	if stop && t.marked(text, from, whole) {
		return 0, from, true
	}
	if count > 0 {
		found[0].Bits &= 1<<(whole-from) - 1
	}
	if count == 0 || found[0].Bits == 0 {
		return 0, whole, false
	}
	dst[0] = Block{uint64(from), found[0].Bits}
	return 1, whole, false
}
