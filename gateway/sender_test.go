package gateway

import "testing"

// TestHasName compares names of certificates with those of partners: a wildcard stands for one
// label.
func TestHasName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want, name string
		has        bool
	}{
		{"a.example", "a.example", true},
		{"a.example", "A.Example", true},
		{"a.example", "b.a.example", false},
		{"a.example", "xa.example", false},
		{"a.example", "a.example.evil", false},
		{"*.example", "a.example", true},
		{"*.EXAMPLE", "a.example", true},
		{"*.example", "evil.a.example", false},
		{"*.example", "a.xexample", false},
		{"*.example", "xexample", false},
		{"*.example", "example", false},
		{"*.example", ".example", false},
		{"*.a.example", "b.a.example", true},
		{"*.a.example", "a.example", false},
		{"*.a.example", "b.xa.example", false},
		{"*.a.example", "c.b.a.example", false},
	} {
		s := sender{names: []string{"other.test", tt.name}}
		if got := s.hasName(tt.want); got != tt.has {
			t.Errorf("a certificate of %s has the name %s: %v, want %v", tt.name, tt.want, got, tt.has)
		}
	}
}
