package coder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
)

// keyNames are names that are easy to confuse: prefixes and suffixes, equal beginnings and ends,
// names of each length around the 8 and 16 bytes that the hash reads.
var keyNames = []string{
	"a", "b", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgi", "bcdefgh", "abcdefghabcdefgh", "abcdefghXabcdefgh",
	"id", "ids", "ID", "Id", "i", "d", "w", "wmin", "wmax", "é", "e\u0301", "😀", "a/b", "a~b", "a b", " a", "a ", ":", "{", "}", "\x7f", "null",
	"aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaa", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa", "k" + strings.Repeat("x", KeyMax-1), strings.Repeat("x", KeyMax),
}

// setOf makes a set of names, as the generator does.
func setOf(t *testing.T, names []string) *KeySet {
	t.Helper()
	state := uint64(1)
	for bits := uint8(3); bits < 20; bits++ {
		for range 20000 {
			state = state*6364136223846793005 + 1442695040888963407
			if 1<<bits >= len(names) && !HashCollides(state|1, bits, names) {
				return NewKeySet(state|1, bits, names...)
			}
		}
	}
	t.Fatalf("no multiplier tells %q apart", names)
	return nil
}

// findKey reads the key of a document's first member, and returns its field and the value's place.
func findKey(r *Reader, s *KeySet, doc string) (f uint8, value int, err error) {
	p := r.Begin([]byte(doc))
	if p == 0 {
		return 0, 0, r.End(0)
	}
	p, _ = r.First(p)
	if f, value = r.FindKey(p, s); value == 0 {
		return 0, 0, r.End(0)
	}
	return f, value, nil
}

// escapedForms returns a key in several JSON spellings.
func escapedForms(name string) []string {
	var all, first, last strings.Builder
	runes := []rune(name)
	for i, c := range runes {
		escape := fmt.Sprintf(`\u%04x`, c)
		if c > 0xffff {
			escape = fmt.Sprintf(`\u%04X\u%04x`, 0xd7c0+c>>10, 0xdc00+c&0x3ff)
		}
		all.WriteString(escape)
		if i == 0 {
			first.WriteString(escape)
		} else {
			first.WriteRune(c)
		}
		if i == len(runes)-1 {
			last.WriteString(escape)
		} else {
			last.WriteRune(c)
		}
	}
	return []string{name, all.String(), first.String(), last.String()}
}

// TestFindKey finds each name in a set, in every spelling, with and without white space, near the
// end of a document and far from it. It does not find the name in a set without it.
func TestFindKey(t *testing.T) {
	var r Reader
	set := setOf(t, keyNames)
	for i, name := range keyNames {
		others := append(append([]string{}, keyNames[:i]...), keyNames[i+1:]...)
		without := setOf(t, others)
		for _, written := range escapedForms(name) {
			for _, colon := range []string{":", " :", ":\n", " \t:\r\n" + strings.Repeat(" ", 70)} {
				for _, end := range []string{"0}", `"` + strings.Repeat("z", 100) + `"}`} {
					for _, before := range []string{"", strings.Repeat(" ", 55)} {
						doc := "{" + before + `"` + written + `"` + colon + end
						f, value, err := findKey(&r, set, doc)
						if err != nil || int(f) != i+1 || doc[value:] != end {
							t.Fatalf("%q: field %d, value at %d, %v, want field %d", doc, f, value, err, i+1)
						}
						if f, _, err := findKey(&r, without, doc); err != nil || f != 0 {
							t.Fatalf("%q: field %q, %v, want no field", doc, others[max(f, 1)-1], err)
						}
					}
				}
			}
		}
	}
}

// TestNearlyAKey reads keys that differ from a name by a byte, by case, or by an escaped character.
func TestNearlyAKey(t *testing.T) {
	var r Reader
	names := []string{"id", "banner", "displaymanager", "displaymanagerver", "aaaaaaaaaaaaaaaaa"}
	set := setOf(t, names)
	for _, name := range names {
		near := []string{"", name[:1], name[:len(name)-1], name[1:], name + name[:1], " " + name, name + " ", strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], name + `\u0000`, `\u0000` + name, name + `\\`, name + `\"`}
		for at := range name {
			for _, b := range []byte{0x20, 0x2f, 'A', '_', 'z', 0x7f, name[at] ^ 0x20, name[at] ^ 1} {
				near = append(near, name[:at]+string([]byte{b})+name[at+1:])
			}
		}
		for _, key := range near {
			want := uint8(0)
			for i := range names {
				if names[i] == key {
					want = uint8(i + 1)
				}
			}
			for _, end := range []string{"0}", strings.Repeat(" ", 80) + "0}"} {
				if f, _, err := findKey(&r, set, `{"`+key+`":`+end); err != nil || f != want {
					t.Errorf("%q is field %d, %v, want %d", key, f, err, want)
				}
			}
		}
	}
}

// TestKeysOfEveryLength finds keys of each length up to KeyMax, and no longer ones.
func TestKeysOfEveryLength(t *testing.T) {
	var r Reader
	for n := range KeyMax + 3 {
		name := strings.Repeat("k", n)
		set := NewKeySet(1, 3, strings.Repeat("k", min(max(n, 1), KeyMax)))
		f, _, err := findKey(&r, set, `{"`+name+`":0}`)
		if want := uint8(1); err != nil || (f == want) != (n >= 1 && n <= KeyMax) {
			t.Errorf("a key of %d bytes is field %d, %v", n, f, err)
		}
	}
}

// TestMiddlesOfKeys: the hash reads the first and the last 8 bytes of a name. Names that are equal
// there are still different keys.
func TestMiddlesOfKeys(t *testing.T) {
	var r Reader
	names := []string{"customer_1_identifier", "customer_2_identifier", "customer_3_identifier", "other"}
	if hashWords(names[0]) != hashWords(names[1]) {
		t.Fatal("the hash of the names differs: choose other names")
	}
	set := setOf(t, names)
	for i, name := range append(names, "customer_4_identifier") {
		f, _, err := findKey(&r, set, `{"`+name+`":0}`)
		if want := (i + 1) % 5; err != nil || int(f) != want {
			t.Errorf("%s is field %d, %v, want %d", name, f, err, want)
		}
	}
}

// TestKeySetRefusesCollisions: NewKeySet panics if two names have the same hash.
func TestKeySetRefusesCollisions(t *testing.T) {
	if !HashCollides(0, 3, []string{"a", "b"}) || HashCollides(1, 3, []string{"a"}) {
		t.Error("HashCollides is wrong about multiplier 0")
	}
	defer func() {
		if recover() == nil {
			t.Error("NewKeySet accepts two names with the same hash")
		}
	}()
	NewKeySet(0, 3, "a", "b")
}

// TestGuessWords compares a name with itself, and with texts that differ in one byte, as generated
// code does.
func TestGuessWords(t *testing.T) {
	for n := 1; n < keyReach+5; n++ {
		name := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 3)[:n]
		words, at, shift, length, ok := GuessWords(name)
		if ok != (n+3 <= keyReach) || length != n+3 {
			t.Errorf("a name of %d bytes has a pattern of %d bytes, %v", n, length, ok)
		}
		if !ok {
			continue
		}
		doc := []byte(`{"` + name + `":0       }`)
		guessed := func() bool {
			var r Reader
			r.n, r.t = len(doc), mem.TextOf(doc)
			for i, w := range words {
				if r.Word(1+at[i])<<shift != w {
					return false
				}
			}
			return true
		}
		if !guessed() {
			t.Errorf("%q is not guessed", name)
		}
		for i := 1; i <= length; i++ {
			doc[i] ^= 1
			if guessed() {
				t.Errorf("%q is guessed as %q", doc, name)
			}
			doc[i] ^= 1
		}
		if last := 1 + at[len(at)-1] + 8; last > 1+max(8, length) {
			t.Errorf("%q: the last load ends at %d, want at most %d", name, last, 1+max(8, length))
		}
	}
}

// TestBrokenKeys reads documents with faults in and around a key.
func TestBrokenKeys(t *testing.T) {
	rs := readers()
	for _, doc := range []string{
		`{v:1}`, `{'v':1}`, `{"v"}`, `{"v",1}`, `{"v" 1}`, `{"v"::1}`, `{"v":}`, `{"v`, `{"v"`, `{"v":`, `{"v"}`, `{"v" }`, `{"\u0076":"1"}`, `{"\u007":"1"}`, `{"\v":1}`,
		"{\"v\x00\":1}", "{\"v\xff\":\"1\"}", `{"v\ud800":"1"}`, `{"\ud800v":{}}`, `{null:1}`, `{1:1}`, `{"a":1,v:1}`, `{"a":1,,"v":1}`, `{,"v":1}`, `{"v"/**/:1}`, `{"":""}`,
	} {
		against(t, rs, []byte(doc), scalar((*Reader).AnyString))
		against(t, rs, []byte(`{"x":`+doc+"}"), scalar((*Reader).AnyString))
	}
}

// TestFoldedKeys: the hash folds the first and the last 8 bytes of a name into one word. Names that
// fold to the same word collide with any multiplier, and are still different keys.
func TestFoldedKeys(t *testing.T) {
	var r Reader
	names := []string{"xaxxxxxxbxxxxxxx", "xcxxxxxxcxxxxxxx", "other"}
	if hashWords(names[0]) != hashWords(names[1]) {
		t.Fatal("the names fold to different words: choose other names")
	}
	set := setOf(t, names)
	for i, name := range names {
		if f, _, err := findKey(&r, set, `{"`+name+`":0        }`); err != nil || int(f) != i+1 {
			t.Errorf("%s is field %d, %v, want %d", name, f, err, i+1)
		}
	}
}
