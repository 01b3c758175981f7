package canonical

import (
	"strings"

	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// BundleMax is the longest id of an app that is compared, in bytes.
const BundleMax = 512

// FoldBundle is [Bundle] in lower case. No two apps are known whose ids differ by the case of ASCII
// letters alone, though Android allows them, and some readers ignore case. The result is s, a part
// of it, or is in buf. An id of more than BundleMax bytes is none.
func FoldBundle(buf *[BundleMax]byte, s string) (id string, ok bool) {
	if s = Bundle(s); len(s) > BundleMax {
		return "", false
	}
	upper := func(c byte) bool { return c-'A' < 26 }
	for i := range len(s) {
		if !upper(s[i]) {
			continue
		}
		for i := range len(s) {
			if buf[i] = s[i]; upper(s[i]) {
				buf[i] += 'a' - 'A'
			}
		}
		return mem.String(buf[:len(s)]), true
	}
	return s, true
}

// UpToNUL returns what a reader in C sees of a text.
func UpToNUL(s string) string {
	before, _, _ := strings.Cut(s, "\x00")
	return before
}

// Bundle trims white space, and the "id" before the number of an app in Apple's store. It keeps
// case, as the files that apps are looked up in do.
func Bundle(s string) string {
	s = blank.Trim(s)
	const prefix = "id"
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) && AllDigits(s[len(prefix):]) {
		return s[len(prefix):]
	}
	return s
}
