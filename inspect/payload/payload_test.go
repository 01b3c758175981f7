package payload

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// vector is one element of testdata/payload/patterns.json.
type vector struct {
	ID, Literal            string
	Found, Layered, Absent []string
}

func vectors(t *testing.T) (list []vector) {
	t.Helper()
	data, err := os.ReadFile(testkit.Path(t, "testdata/payload/patterns.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != len(defaults) {
		t.Fatalf("%d patterns in the data, %d in the package", len(list), len(defaults))
	}
	return list
}

// table reads a file of testdata/payload with columns.
func table(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	data, err := os.ReadFile(testkit.Path(t, "testdata/payload/"+name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

func newScanner(tb testing.TB, o Options) *Scanner {
	tb.Helper()
	s, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// names returns the ids of the patterns that are found in body.
func (s *Scanner) names(body string) string {
	matches, _ := s.Scan(nil, []byte(body))
	var ids []string
	for _, m := range matches {
		ids = append(ids, s.Pattern(m.Pattern).ID)
	}
	return strings.Join(ids, " ")
}

func has(names, id string) bool { return strings.Contains(" "+names+" ", " "+id+" ") }

// quote writes a JSON string, with escapes for all but letters and digits if escaped, else for what
// needs them.
func quote(text string, escaped bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch plain := r >= 0x80 || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'; {
		case r < ' ', escaped && !plain:
			b.WriteString(`\u00` + string("0123456789abcdef"[r>>4]) + string("0123456789ABCDEF"[r&15]))
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// documents returns documents that hold a JSON string, as value and as key, whole and broken.
func documents(text string) []string {
	return []string{
		text, "[" + text + "]", "{" + text + ":1}", `{"a":[{"b":` + text + `}]}`,
		`{"a":` + text, `["\ud83d\ude00",` + text + "}",
	}
}

func upper(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 0x20
		}
		return r
	}, text)
}

// TestFoundVectors writes each text that must be found in several ways.
func TestFoundVectors(t *testing.T) {
	for _, o := range []Options{{}, {Layers: AllLayers}, {Layers: AllLayers, Nested: 2}} {
		s := newScanner(t, o)
		for _, v := range vectors(t) {
			for _, text := range v.Found {
				for _, text := range []string{text, upper(text)} {
					for _, escaped := range []bool{false, true} {
						for _, body := range documents(quote(text, escaped)) {
							if got := s.names(body); !has(got, v.ID) {
								t.Fatalf("%s: found %q, want %s", body, got, v.ID)
							}
						}
					}
				}
			}
		}
	}
}

func TestLayeredVectors(t *testing.T) {
	plain, all := newScanner(t, Options{}), newScanner(t, Options{Layers: AllLayers})
	for _, v := range vectors(t) {
		for _, text := range v.Layered {
			body := `{"a":` + quote(text, false) + "}"
			if got := plain.names(body); has(got, v.ID) {
				t.Errorf("%s: found %s without layers", body, got)
			}
			if got := all.names(body); !has(got, v.ID) {
				t.Errorf("%s: found %q, want %s", body, got, v.ID)
			}
		}
	}
}

func TestAbsentVectors(t *testing.T) {
	s := newScanner(t, Options{Layers: AllLayers})
	for _, v := range vectors(t) {
		for _, text := range v.Absent {
			for _, escaped := range []bool{false, true} {
				body := `{"a":` + quote(text, escaped) + "}"
				if got := s.names(body); got != "" {
					t.Errorf("%s: found %s", body, got)
				}
			}
		}
	}
}
