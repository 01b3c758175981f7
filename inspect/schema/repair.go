package schema

import (
	"encoding/json"
	"strconv"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// This file is about values of the wrong type and strings that are not Unicode text: what the
// text layer reports, and what lenient decoding makes of them, as in section 3 of the decoding
// contract. It runs for values with a finding only.

// mismatch reads a value of the wrong JSON type and reports it.
func (w *walker) mismatch(f fieldID, info *fieldInfo) bool {
	start := w.Pos
	if !w.Skip(w.badText) {
		return false
	}
	rule := ruleAnyType
	if f == fNativeRequest {
		rule = ruleNativeRequestString
	}
	message := typeExpected[info.kind]
	if info.array && w.findings.path[len(w.findings.path)-1].index < 0 {
		message = arrayExpected
	}
	var repaired string
	switch text := w.Data[start:w.Pos]; info.kind {
	case kindString:
		if b := text[0]; b != '{' && b != '[' {
			repaired = quote(string(text))
		}
	case kindInteger:
		repaired = asInteger(content(text))
		switch string(text) {
		case "true":
			repaired = "1"
		case "false":
			repaired = "0"
		}
	case kindFloat:
		repaired = asFloat(content(text))
	}
	w.wrong(rule, message, start, repaired)
	return true
}

// What findings of the rules about types say.
var typeExpected = [...]string{
	kindString:  "expected a string",
	kindInteger: "expected an integer",
	kindFloat:   "expected a number",
	kindObject:  "expected an object",
}

const arrayExpected = "expected an array"

// wrong reports the value from start to the current position. repaired is what lenient
// decoding makes of it, "" for nothing.
func (w *walker) wrong(rule ruleID, message string, start int, repaired string) {
	severity := w.findings.engine.severity[rule]
	if w.findings.engine.lenient && repaired != "" {
		severity = w.saved(rule)
		w.d.edits = append(w.d.edits, edit{start: start, end: w.Pos, text: repaired})
	} else {
		w.takeOut(rule, start)
	}
	w.find(rule, severity, start, message)
}

// takeOut replaces an undecodable value by null in the decodable text. If the rule about it is
// reported, the value layer does not report the hole.
func (w *walker) takeOut(rule ruleID, start int) {
	w.d.edits = append(w.d.edits, edit{start: start, end: w.Pos, text: "null"})
	if w.findings.engine.severity[rule] != Off {
		w.d.nodes[len(w.d.nodes)-1].hole = true // it has no nodes inside it
		w.d.holes++
	}
}

// badText reports a string that is not Unicode text, right after it was read.
func (w *walker) badText() {
	severity := w.findings.engine.severity[ruleAnyUtf8]
	if w.findings.engine.lenient {
		severity = w.saved(ruleAnyUtf8)
	}
	w.find(ruleAnyUtf8, severity, w.Invalid, "expected Unicode text: valid UTF-8 and surrogates in pairs")
	// The decodable text has U+FFFD instead.
	w.d.edits = append(w.d.edits, edit{start: w.Opened, end: w.Pos, text: quote(content(w.Data[w.Opened:w.Pos]))})
}

// content returns the content of a string, or the text of any other value. Whatever is not
// Unicode text becomes U+FFFD.
func content(value []byte) string {
	if value[0] != '"' {
		return string(value)
	}
	return grammar.Unescape(value[1 : len(value)-1])
}

// quote returns s as a JSON string.
func quote(s string) string {
	out, err := json.Marshal(s)
	if err != nil {
		return "null" // not reached: a string can always be written
	}
	return string(out)
}

// asInteger reads "300", "300.0" or "3e2" as an integer, with fractions rounded toward zero.
// It returns "" if the text is not a number or does not fit.
func asInteger(text string) string {
	if grammar.IsNumber(text) {
		if n, fits := toInt(text); fits {
			return strconv.Itoa(n)
		}
	}
	return ""
}

// toInt returns the integer part of a number, and whether an int can hold it.
func toInt(number string) (n int, fits bool) {
	if v, ok := grammar.TowardZero(number); ok {
		return grammar.Fit[int](v)
	}
	return 0, false
}

// asFloat reads a number. It returns "" if the text is not a number or does not fit.
func asFloat(text string) string {
	if !grammar.IsNumber(text) || grammar.Overflows(text) {
		return ""
	}
	return text
}
