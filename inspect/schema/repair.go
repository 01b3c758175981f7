package schema

import (
	"bytes"
	"encoding/json"
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
// if it is no number or does not fit. It works on the digits: a float would lose some.
func asInteger(text string) string {
	if !isNumber(text) {
		return ""
	}
	text, negative := strings.CutPrefix(text, "-")
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		exponent, _ = strconv.Atoi(text[i+1:]) // beyond its range it is the nearest number
		exponent = max(min(exponent, 1<<30-1), -1<<30)
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	point := len(whole) + exponent // digits before the decimal point
	digits := whole + fraction
	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	if significant == "" || point <= 0 {
		return "0"
	}
	const most = 19 // digits of the largest 64-bit number
	if point > most {
		return ""
	}
	significant += strings.Repeat("0", max(point-len(significant), 0))
	significant = significant[:point]
	if negative {
		significant = "-" + significant
	}
	n, err := strconv.Atoi(significant)
	if err != nil {
		return ""
	}
	return strconv.Itoa(n)
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
	if len(number) < digitsSafe && !bytes.ContainsAny(number, "eE") {
		return false
	}
	_, err := strconv.ParseFloat(string(number), 64)
	return err != nil
}
