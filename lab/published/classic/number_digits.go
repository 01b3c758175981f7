//go:build !atoi

package classic

import "fmt"

// integer reads digits in place.
func integer(b []byte) (int, error) {
	digits, sign := b, 1
	if digits[0] == '-' {
		digits, sign = digits[1:], -1
	}
	if len(digits) == 0 {
		return 0, errEnd
	}
	n := 0
	for _, c := range digits {
		if c-'0' > 9 {
			return 0, fmt.Errorf("%q is no integer", b)
		}
		n = 10*n + int(c-'0')
	}
	return sign * n, nil
}
