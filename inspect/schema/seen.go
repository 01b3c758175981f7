package schema

// linearMax is up to how many entries a search of a short list beats hashing.
const linearMax = 32

// firstSeen finds repeated strings: of ids, of pods. The zero value is ready for use.
type firstSeen struct {
	list []string
	byID map[string]int // used beyond linearMax
}

// reset starts a new group of strings.
func (s *firstSeen) reset() {
	clear(s.list)
	s.list = s.list[:0]
	if len(s.byID) > emptiedMax {
		s.byID = nil
	}
	clear(s.byID)
}

// emptiedMax is up to how many entries a map is emptied and used again. Emptying takes as
// long as the map was ever large, however few entries the next group has.
const emptiedMax = 1024

// forget lets go of all strings, and of the memory of an unusually large document.
func (s *firstSeen) forget() {
	s.reset()
	if cap(s.list) > keptMax {
		s.list, s.byID = nil, nil
	}
}

// earlier returns the number of calls after which the string was first given, -1 if it is
// new. Numbers count from 0, one for each call since reset.
func (s *firstSeen) earlier(id string) int {
	n := len(s.list)
	s.list = append(s.list, id)
	if n < linearMax {
		for i, other := range s.list[:n] {
			if other == id {
				return i
			}
		}
		return -1
	}
	if s.byID == nil {
		s.byID = make(map[string]int)
	}
	if len(s.byID) == 0 {
		for i := n - 1; i >= 0; i-- { // backwards, so that the first one stays
			s.byID[s.list[i]] = i
		}
	}
	if i, ok := s.byID[id]; ok {
		return i
	}
	s.byID[id] = n
	return -1
}

// keySet finds repeated keys among those that the specification does not have. Keys are told
// apart by the place of their object in the text.
type keySet struct {
	list []objectKey
	many map[objectKeyText]struct{} // used beyond linearMax
}

type objectKey struct {
	object int
	key    []byte
}

type objectKeyText struct {
	object int
	key    string
}

// forget lets go of all keys.
func (s *keySet) forget() {
	clear(s.list)
	s.list = s.list[:0]
	if len(s.many) > emptiedMax {
		s.many = nil
	}
	clear(s.many)
}

// repeated adds a key and reports whether the object had it before.
func (s *keySet) repeated(object int, key []byte) bool {
	if len(s.list) < linearMax {
		for _, k := range s.list {
			if k.object == object && string(k.key) == string(key) {
				return true
			}
		}
		s.list = append(s.list, objectKey{object, key})
		return false
	}
	if s.many == nil {
		s.many = make(map[objectKeyText]struct{})
	}
	if len(s.many) == 0 {
		for _, k := range s.list {
			s.many[objectKeyText{k.object, string(k.key)}] = struct{}{}
		}
	}
	k := objectKeyText{object, string(key)}
	if _, ok := s.many[k]; ok {
		return true
	}
	s.many[k] = struct{}{}
	return false
}
