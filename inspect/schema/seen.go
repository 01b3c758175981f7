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

// directMax is up to how many elements of a list are compared with each other without memory.
const directMax = 4

// repeats calls found with the index of each element whose id an earlier one has too.
func repeats[T any](s *firstSeen, list []T, id func(*T) string, found func(i int)) {
	if len(list) > directMax {
		s.reset()
		for i := range list {
			if s.earlier(id(&list[i])) >= 0 {
				found(i)
			}
		}
		return
	}
	for i := 1; i < len(list); i++ {
		for j := range i {
			if id(&list[i]) == id(&list[j]) {
				found(i)
				break
			}
		}
	}
}
