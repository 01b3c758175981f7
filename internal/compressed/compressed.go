// Package compressed recognizes compressed data where text is expected.
package compressed

import "bytes"

// HeadMax is how many bytes [By] looks at.
const HeadMax = 4

// By returns the name of the program that inflates what begins with head, "gzip" or "zstd", and ""
// if it is not compressed. No JSON text begins like compressed data.
func By(head []byte) string {
	for _, magic := range magics {
		if bytes.HasPrefix(head, []byte(magic.prefix)) {
			return magic.by
		}
	}
	return ""
}

// magics are what compressed data begins with.
var magics = []struct{ prefix, by string }{{"\x1f\x8b\x08", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}}
