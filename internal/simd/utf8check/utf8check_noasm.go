//go:build (!amd64 && !arm64) || noasm || purego

package utf8check

import "github.com/rtbwire/rtbwire/internal/simd"

var levels = []Level{simd.Reference}

// valid is Valid for a text that does not end within a character.
func valid(text []byte) bool {
	return validRef(text)
}
