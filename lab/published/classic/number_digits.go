//go:build !atoi

package classic

import "fmt"

// integer reads digits in place.
func integer(b []byte) (int, error) {
	digits, negative := b, b[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 {
		return 0, errEnd
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%q is no integer", b)
		}
		n = 10*n + int(c-'0')
	}
	if negative {
		return -n, nil
	}
	return n, nil
}
