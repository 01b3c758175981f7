package simulate

import (
	"fmt"
	"strconv"
	"strings"
)

// Share is a share of the requests, in millionths.
type Share uint32

// All is the share of all requests.
const All Share = 1_000_000

// Percent returns a share of whole percents.
func Percent(n int) Share { return Share(n) * (All / 100) }

// ParseShare reads "3%", "0.25%", or the same as a number from 0 to 1: "0.03". It refuses what is
// finer than a millionth.
func ParseShare(text string) (Share, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	whole, fraction, _ := strings.Cut(number, ".")
	digits := 6
	if percent {
		digits = 4
	}
	if whole+fraction == "" {
		return 0, badShare(text)
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > digits {
		return 0, badShare(text)
	}
	if whole == "" {
		whole = "0"
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 32)
	if err != nil || n > uint64(All) {
		return 0, badShare(text)
	}
	return Share(n), nil
}

func badShare(text string) error {
	return fmt.Errorf("%q is not a share (want 0%% to 100%%, or 0 to 1, at most six decimals)", text)
}

// String returns the share in percent, "0.5%".
func (s Share) String() string {
	text := strconv.FormatUint(uint64(s)/10_000, 10)
	if rest := s % 10_000; rest != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%04d", rest), "0")
	}
	return text + "%"
}
