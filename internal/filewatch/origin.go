package filewatch

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
)

// SumsMax is how many files an [Origin] has.
const SumsMax = 20

// Origin is where a configuration was read from, and why then.
type Origin struct {
	// Files are the first [SumsMax] files, the main one first.
	Files []Sum `json:"files"`
	// By is what made the program read them: the start, a change, a signal, an operator.
	By string `json:"by,omitempty"`
}

// Sum is a file with the SHA-256 of its content, as sha256sum prints it; "" if it can't be read.
type Sum struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Sums returns the sums of files.
func Sums(paths []string) []Sum {
	sums := []Sum{}
	for _, path := range paths[:min(len(paths), SumsMax)] {
		sum := Sum{Path: path}
		if text, err := os.ReadFile(path); err == nil {
			own := sha256.Sum256(text)
			sum.SHA256 = hex.EncodeToString(own[:])
		}
		sums = append(sums, sum)
	}
	return sums
}
