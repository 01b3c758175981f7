package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// This file holds what lenient decoding makes of values of the wrong type, after section 3
// of the decoding contract. It runs for values with a finding only.

// unquote returns the content of a string, or the text of any other value as it is. Bytes
// and escapes that are no Unicode text become U+FFFD.
func unquote(value []byte) string {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return string(value)
	}
	return s
}

// requote writes a string again as valid JSON.
func requote(value []byte) string { return quote(unquote(value)) }

func quote(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return "null" // not reached: a string can always be written
	}
	return string(out)
}

// asInteger reads "300", "300.0" or "3e2" as an integer, fractions rounded toward zero; ""
// if it is no number or does not fit.
func asInteger(text string) string {
	if !isNumber(text) {
		return ""
	}
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(n)
	}
	f, err := strconv.ParseFloat(text, 64)
	if f = math.Trunc(f); err != nil || math.Abs(f) >= 1<<63 {
		return ""
	}
	return strconv.FormatInt(int64(f), 10)
}

// asFloat reads a quoted number.
func asFloat(text string) string {
	if !isNumber(text) || outOfRange([]byte(text)) {
		return ""
	}
	return text
}

// isNumber reports whether the whole text is a number of JSON's grammar.
func isNumber(text string) bool {
	s := scanner{data: []byte(text)}
	if text == "" {
		return false
	}
	_, _, ok := s.number()
	return ok && s.pos == len(text)
}

// outOfRange reports whether a number overflows a 64-bit float.
func outOfRange(number []byte) bool {
	const digitsSafe = 300 // without an exponent, that many characters never overflow
	if len(number) < digitsSafe && !strings.ContainsAny(string(number), "eE") {
		return false
	}
	_, err := strconv.ParseFloat(string(number), 64)
	return err != nil
}
