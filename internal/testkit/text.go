package testkit

import "fmt"

// Abridged quotes a document for a failure message; of a long one only the ends.
func Abridged(data []byte) string {
	if len(data) <= 400 {
		return fmt.Sprintf("%q", data)
	}
	return fmt.Sprintf("%q...(%d bytes)...%q", data[:200], len(data), data[len(data)-100:])
}
