package admin

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Numbers for people, as page/format.js writes them.

// none stands for a number that is not known.
const none = "–"

// significant returns a number with three digits, without zeros at its end.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return trimZeros(strconv.FormatFloat(v, 'f', min(digits, 6), 64))
}

func trimZeros(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func isNumber(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// count writes a whole number, in groups of three digits.
func count(v float64) string {
	if !isNumber(v) {
		return none
	}
	text := strconv.FormatFloat(math.Round(math.Abs(v)), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if v <= -0.5 {
		text = "-" + text
	}
	return text
}

// short is a number in little space: 12.3k, 3.4M.
func short(v float64) string {
	switch size := math.Abs(v); {
	case !isNumber(v):
		return none
	case size >= 1e9:
		return significant(v/1e9) + "G"
	case size >= 1e6:
		return significant(v/1e6) + "M"
	case size >= 1e4:
		return significant(v/1e3) + "k"
	case size > 0 && size < 10:
		digits := 1 - int(math.Floor(math.Log10(size))) // two that matter, and no exponent
		return trimZeros(strconv.FormatFloat(v, 'f', max(digits, 0), 64))
	case size >= 100:
		return count(v)
	}
	return significant(v)
}

// each is a rate.
func each(v float64) string {
	if !isNumber(v) {
		return none
	}
	return short(v) + "/s"
}

// milliseconds is a time that is short.
func milliseconds(ms float64) string {
	switch {
	case !isNumber(ms):
		return none
	case ms == 0:
		return "0"
	case ms < 1:
		return significant(ms*1000) + " µs"
	case ms < 1000:
		return significant(ms) + " ms"
	}
	return significant(ms/1000) + " s"
}

// span is a time that is long, in seconds.
func span(seconds float64) string {
	if !isNumber(seconds) {
		return none
	}
	s := int64(max(0, seconds))
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
	return fmt.Sprintf("%d d %d h", s/86400, s%86400/3600)
}

// size is a number of bytes.
func size(v float64) string {
	if !isNumber(v) {
		return none
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; v >= 1024 && i < len(units)-1; i++ {
		v /= 1024
	}
	return significant(v) + " " + units[i]
}

// percent is a part of a whole. 100 % says that nothing is missing.
func percent(part, whole float64) string {
	if !isNumber(part) || !isNumber(whole) || whole <= 0 {
		return none
	}
	share := 100 * part / whole
	switch {
	case share > 99.9 && part < whole:
		return "> 99.9 %"
	case share > 0 && share < 0.1:
		return "< 0.1 %"
	}
	return significant(math.Round(share*10)/10) + " %"
}

// plural is a number of things.
func plural(n float64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// moment is a time for people, in UTC.
func moment(t time.Time) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(time.DateTime)
}
