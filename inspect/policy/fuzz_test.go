package policy

import (
	"math/rand/v2"
	"testing"
)

// FuzzCompile compiles any text. What compiles is evaluated, and gives what the interpreter gives.
func FuzzCompile(f *testing.F) {
	for _, c := range languageCases {
		f.Add(c.source)
	}
	r := &random{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 50 {
		f.Add(r.boolean(3))
	}
	for _, s := range []string{"", "(", "imp.exists(i, ", "\xff", "a.b.c[", "has(", "lists.x", "[[[[[", "x ? y", `"\u`, "@request.id", "facts.headers.a.b", "imp.map(i, i)[0].ext == {}"} {
		f.Add(s)
	}
	e := testEnv(f)
	in := input(f, sample)
	in.Facts = sampleFacts()
	f.Fuzz(func(t *testing.T, source string) {
		d, issues := e.Compile(source)
		if (d == nil) == (len(issues) == 0) || len(issues) > IssuesMax {
			t.Fatalf("%v and %d issues", d, len(issues))
		}
		for _, i := range issues {
			if i.Offset < 0 || i.Length < 0 || i.Offset+i.Length > len(source) || i.Message == "" {
				t.Errorf("%q: issue %+v", source, i)
			}
		}
		if d == nil {
			return
		}
		got, err := d.Holds(in)
		if err != nil && got {
			t.Errorf("%q: true with an error", source)
		}
		if again, err2 := d.Holds(in); again != got || err2 != err {
			t.Errorf("%q: %v, %v, then %v, %v", source, got, err, again, err2)
		}
		i, issues := e.Compile(source, Interpreted)
		if issues != nil {
			t.Fatalf("%q: interpreted: %v", source, issues)
		}
		want, wantErr := i.Holds(in)
		if err != nil && failureOf(err).fatal() || wantErr != nil && err == nil && len(source) > 200 {
			return // the bounds of the two are different
		}
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%q: %v, %v; interpreter %v, %v", source, got, err, want, wantErr)
		}
	})
}

func failureOf(err error) failure {
	for f, e := range failures {
		if e == err {
			return failure(f)
		}
	}
	return failNone
}
