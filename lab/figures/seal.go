package figures

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// sealLine is a line of its own in a file, in front of all others: the checksum of the rest.
var sealLine = []byte(` "sum": "`)

// open is how the files begin.
var open = []byte("{\n")

// Seal adds the checksum of a file to its text. The text begins with a line that has nothing but a
// brace, and ends with a newline. cpp/bench/compare.py does the same.
func Seal(text []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(text, open)
	if !ok {
		return nil, fmt.Errorf("a file of figures begins with %.10q (want %q)", text, open)
	}
	return bytes.Join([][]byte{open, sealLine, []byte(sum(text)), []byte("\",\n"), rest}, nil), nil
}

// CheckSeal reports whether a file is as the program that measured has written it.
func CheckSeal(text []byte) error {
	line, rest, _ := bytes.Cut(bytes.TrimPrefix(text, open), []byte("\n"))
	written, ok := bytes.CutPrefix(line, sealLine)
	if !ok {
		return errors.New("it has no checksum (want a line \"sum\" in front)")
	}
	want := sum(append(bytes.Clone(open), rest...))
	if got := string(bytes.TrimSuffix(written, []byte(`",`))); got != want {
		return fmt.Errorf("its checksum is %.12s, that of its text %.12s: it was changed after the run", got, want)
	}
	return nil
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}
