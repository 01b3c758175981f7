package schema

import "github.com/rtbwire/rtbwire/internal/seen"

// linearMax is up to how many entries searching a list is faster than hashing it.
const linearMax = seen.LinearMax

// firstSeen finds repeated strings in one list after the other: ids, pods. The zero value has
// no list yet.
type firstSeen struct{ seen.Groups }

// reset begins the next list.
func (s *firstSeen) reset() {
	s.Reset()
	s.Open()
}

// earlier adds a string to the list and returns the number of the first one that equals it, -1
// if it is new. Strings are numbered from 0.
func (s *firstSeen) earlier(id string) int {
	if i, repeated := s.Add(id); repeated {
		return i
	}
	return -1
}
