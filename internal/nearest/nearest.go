// Package nearest finds the closest known name to a misspelt one, for messages that ask "did you
// mean ...?".
package nearest

import (
	"strings"
	"unicode"
)

// Name returns the candidate that a misspelt word was probably meant to be, "" if none is
// near. Of equally near ones the first counts.
func Name(word string, candidates []string) string {
	const wordMax = 64                                                        // longer words were not misspelt, and the time is quadratic
	if len(word) > wordMax || !strings.ContainsFunc(word, unicode.IsLetter) { // a wrong number was not misspelt
		return ""
	}
	best, distanceBest := "", 0
	folded := fold(word)
	for _, c := range candidates {
		if len(c) > wordMax {
			continue
		}
		other := fold(c)
		most := max(1, min(len(folded), len(other))/3)
		if len(folded) <= 2 {
			most = 1
		}
		d := distance(folded, other)
		if d <= most && d < max(len(folded), len(other)) && (best == "" || d < distanceBest) {
			best, distanceBest = c, d
		}
	}
	return best
}

// fold removes what is often wrong: case, and how the words of a name are joined.
func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// distance is the number of letters to insert, delete, replace or swap with their neighbor that
// makes a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
