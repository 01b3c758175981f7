package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Share is a flag whose value is a part of the whole, from 0 to 1: 60%, 0.1%, 0.25. It implements
// pflag.Value.
type Share float64

// String returns the value in percent.
func (s *Share) String() string {
	return strconv.FormatFloat(math.Round(float64(*s)*1e8)/1e6, 'f', -1, 64) + "%"
}

// Type returns the word for the help text.
func (s *Share) Type() string { return "SHARE" }

// Set takes a value from the command line.
func (s *Share) Set(text string) error {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(digits, 64)
	if percent {
		n /= 100
	}
	if err != nil || !(n >= 0 && n <= 1) {
		return errors.New("want a share such as 60%, 0.1% or 0.25")
	}
	*s = Share(n)
	return nil
}
