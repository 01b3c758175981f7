//go:build atoi

package classic

import "strconv"

// integer leaves the digits to strconv.
func integer(b []byte) (int, error) { return strconv.Atoi(view(b)) }
