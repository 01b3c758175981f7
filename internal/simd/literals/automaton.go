package literals

// automaton is an Aho-Corasick automaton without failure links: every state has a next state for
// every byte.
type automaton struct {
	next    []uint16 // by state<<shift | class
	longest []uint16 // by state: 1 + the place of the longest literal that ends here, or 0
	suffix  []uint16 // by literal: the same of the longest other literal that it ends in
	class   [256]byte
	shift   uint
}

func newAutomaton(literals []literal) *automaton {
	a := &automaton{suffix: make([]uint16, len(literals))}
	classes, states := 1, 1
	for i := range literals {
		if literals[i].escaped {
			continue
		}
		states += len(literals[i].text)
		for _, c := range []byte(literals[i].text) {
			if a.class[c] == 0 {
				a.class[c] = byte(classes)
				classes++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c|0x20]
	}
	for 1<<a.shift < classes {
		a.shift++
	}
	a.next = make([]uint16, states<<a.shift)
	a.longest = make([]uint16, states)
	made := a.spell(literals)
	a.complete(made)
	return a
}

// spell adds a path of states for each literal, and returns how many states there are.
func (a *automaton) spell(literals []literal) int {
	made := 1
	for i := range literals {
		if literals[i].escaped {
			continue
		}
		state := 0
		for _, c := range []byte(literals[i].text) {
			to := &a.next[state<<a.shift|int(a.class[c])]
			if *to == 0 {
				*to = uint16(made)
				made++
			}
			state = int(*to)
		}
		// The first of several equal literals stands for all of them; they are neighbours.
		if a.longest[state] == 0 {
			a.longest[state] = uint16(i + 1)
		}
	}
	return made
}

// complete adds the other transitions, breadth first, so that the state to fall back to is complete
// before its children need it.
func (a *automaton) complete(states int) {
	failure := make([]uint16, states)
	var queue []uint16
	width := 1 << a.shift
	for _, to := range a.next[:width] {
		if to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		state := int(queue[0])
		queue = queue[1:]
		fail := int(failure[state])
		if a.longest[state] == 0 {
			a.longest[state] = a.longest[fail]
		} else {
			a.suffix[a.longest[state]-1] = a.longest[fail]
		}
		for c := range width {
			to, other := &a.next[state<<a.shift|c], a.next[fail<<a.shift|c]
			if *to == 0 {
				*to = other
				continue
			}
			failure[*to] = other
			queue = append(queue, *to)
		}
	}
}

// search is Search for what begins at or after from.
func (a *automaton) search(s *Set, dst []Hit, q *Query, from int) []Hit {
	state, next := 0, a.next
	for i := from; i < len(q.Text); i++ {
		state = int(next[state<<a.shift|int(a.class[q.Text[i]])])
		if a.longest[state] == 0 {
			continue
		}
		for place := int(a.longest[state]); place != 0; place = int(a.suffix[place-1]) {
			text := s.literals[place-1].text
			for k := place - 1; k < len(s.literals) && s.literals[k].text == text; k++ {
				dst = s.literals[k].note(dst, q, i+1-len(text))
			}
		}
	}
	return dst
}
