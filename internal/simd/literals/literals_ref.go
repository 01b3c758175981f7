package literals

// findRef is Find for the positions from `from` to before whole, of which there is at least one,
// and a dst that is not empty. Marks after those positions do not count.
func (t *Table) findRef(dst []Block, text []byte, from, whole int, stop bool) (count, next int, marked bool) {
	for at := from; at < whole; at += blockSize {
		end := min(at+blockSize, whole)
		bits := uint64(0)
		window := text[at : end+WindowSize-1]
		for i := range end - at {
			if t.bytes[0][window[i]]&t.bytes[1][window[i+1]]&t.bytes[2][window[i+2]]&t.bytes[3][window[i+3]] != 0 {
				bits |= 1 << i
			}
		}
		if stop && t.marked(window, 0, end-at) {
			return count, at, true
		}
		if bits == 0 {
			continue
		}
		dst[count] = Block{uint64(at), bits}
		if count++; count == len(dst) && end < whole {
			return count, end, false
		}
	}
	return count, whole, false
}
