// Package compressed recognizes compressed data where text is expected.
package compressed

import "bytes"

// HeadMax is how many bytes [By] looks at.
const HeadMax = 4

// By returns the name of the program that inflates what begins with head, "gzip" or "zstd", and ""
// if it is not compressed. No JSON text begins like compressed data.
func By(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		return "gzip"
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return "zstd"
	}
	return ""
}
