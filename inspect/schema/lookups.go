package schema

import (
	"slices"
	"strings"
)

// This file finds values in lists where both come from outside: the lists from a request, the
// values from the bids of a response. Comparing each with each is fastest for real messages, but
// takes hours for hostile ones. Beyond a number of comparisons the lists are hashed instead.

// comparedMax is the number of comparisons that a pair of documents may cost before lists are
// hashed.
const comparedMax = 1 << 20

// listMax bounds the lists that are searched for each bid without hashing: the sizes of a banner,
// the spans of a table of floors. Rules about longer lists are not evaluated.
const listMax = 1024

// lookups holds the hashed lists of one pair of documents. The zero value is ready for use.
type lookups struct {
	compared int
	hashed   map[any]any // by the address of a list's first element
}

func (l *lookups) forget() { l.compared, l.hashed = 0, nil }

// cheap counts the comparisons of one value with a list of n, and reports whether to make them.
func (l *lookups) cheap(n int) bool {
	if n <= linearMax {
		return true
	}
	l.compared += n
	return l.compared <= comparedMax
}

// hashed returns the result of build, which runs once for each key.
func hashed[K, M any](l *lookups, key K, build func() M) M {
	if m, ok := l.hashed[key].(M); ok {
		return m
	}
	if l.hashed == nil {
		l.hashed = map[any]any{}
	}
	m := build()
	l.hashed[key] = m
	return m
}

// contains reports whether a list holds a value.
func contains[T comparable](l *lookups, list []T, v T) bool {
	if l.cheap(len(list)) {
		return slices.Contains(list, v)
	}
	set := hashed(l, &list[0], func() map[T]struct{} {
		set := make(map[T]struct{}, len(list))
		for _, e := range list {
			set[e] = struct{}{}
		}
		return set
	})
	_, ok := set[v]
	return ok
}

// first returns the index of the first element with the given id, or -1.
func first[T any](l *lookups, list []T, id string, idOf func(*T) string) int {
	if l.cheap(len(list)) {
		for i := range list {
			if idOf(&list[i]) == id {
				return i
			}
		}
		return -1
	}
	byID := hashed(l, &list[0], func() map[string]int {
		byID := make(map[string]int, len(list))
		for i := len(list) - 1; i >= 0; i-- { // backwards, so that the first one wins
			byID[idOf(&list[i])] = i
		}
		return byID
	})
	if i, ok := byID[id]; ok {
		return i
	}
	return -1
}

// containsFold is [contains] without regard to the case of ASCII letters.
func containsFold(l *lookups, list []string, v string) bool {
	if l.cheap(len(list)) {
		for _, e := range list {
			if equalFold(e, v) {
				return true
			}
		}
		return false
	}
	type folded struct{ first *string }
	set := hashed(l, folded{&list[0]}, func() map[string]struct{} {
		set := make(map[string]struct{}, len(list))
		for _, e := range list {
			set[fold(e)] = struct{}{}
		}
		return set
	})
	_, ok := set[fold(v)]
	return ok
}

// covers reports whether a list holds the category or, in the notation of taxonomy 1, its
// parent: IAB25 covers IAB25-3.
func covers(l *lookups, list []string, cat string) bool {
	parent, _, tiers := strings.Cut(cat, "-")
	return contains(l, list, cat) || tiers && contains(l, list, parent)
}

// domainMax is the length of the longest domain name.
const domainMax = 253

// underAny reports whether a domain, or one of its parents, is in the list.
func underAny(l *lookups, list []string, domain string) bool {
	if len(domain) > domainMax {
		return false
	}
	if l.cheap(len(list)) {
		for _, e := range list {
			n := len(domain) - len(e)
			if e != "" && n >= 0 && equalFold(domain[n:], e) && (n == 0 || domain[n-1] == '.') {
				return true
			}
		}
		return false
	}
	for more := domain != ""; more; _, domain, more = strings.Cut(domain, ".") {
		if domain != "" && containsFold(l, list, domain) {
			return true
		}
	}
	return false
}

// equalFold compares without regard to the case of ASCII letters.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b |= 0x20
	}
	return b
}

// fold returns s with its ASCII letters in lower case.
func fold(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower(b[i])
	}
	return string(b)
}
