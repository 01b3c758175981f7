package utf8check

import "unicode/utf8"

// validRef is the reference that every kernel must agree with.
func validRef(text []byte) bool {
	return utf8.Valid(text)
}
