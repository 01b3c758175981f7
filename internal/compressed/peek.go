package compressed

import "bufio"

// Peek returns what [By] says of what r begins with. It waits for no more than it takes to tell.
func Peek(r *bufio.Reader) string {
	for n := 1; n <= HeadMax; n++ {
		head, err := r.Peek(n)
		if by := By(head); by != "" || err != nil || !begins(head) {
			return by
		}
	}
	return ""
}

// begins reports whether compressed data can begin with head.
func begins(head []byte) bool {
	for _, magic := range magics {
		if len(head) <= len(magic.prefix) && string(head) == magic.prefix[:len(head)] {
			return true
		}
	}
	return false
}
