package junit

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
)

// TestWriter holds the text of a report with every kind of case.
func TestWriter(t *testing.T) {
	var b strings.Builder
	w := NewWriter(&b, `a "name" & more`)
	for _, s := range []*Suite{
		{Name: "empty"},
		{Name: "first", Cases: []Case{
			{Name: "passes", Class: "c", File: "a.yaml", Line: 3},
			{Name: "fails", Class: "c", Failure: &Problem{Message: "1 < 2", Type: "error", Text: "a ]]> b\nc"}},
			{Name: "breaks", Class: "c", Error: &Problem{Message: "gone"}},
			{Name: "talks", Class: "c", Out: &Text{"<out>"}},
		}},
	} {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = xml.Header + `<testsuites name="a &#34;name&#34; &amp; more">
 <testsuite name="empty" tests="0" failures="0" errors="0" skipped="0"></testsuite>
 <testsuite name="first" tests="4" failures="1" errors="1" skipped="0">
  <testcase name="passes" classname="c" file="a.yaml" line="3"></testcase>
  <testcase name="fails" classname="c">
   <failure message="1 &lt; 2" type="error"><![CDATA[a ]]]]><![CDATA[> b
c]]></failure>
  </testcase>
  <testcase name="breaks" classname="c">
   <error message="gone"></error>
  </testcase>
  <testcase name="talks" classname="c">
   <system-out><![CDATA[<out>]]></system-out>
  </testcase>
 </testsuite>
</testsuites>
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestNoSuite: a report without a suite is a complete document, too.
func TestNoSuite(t *testing.T) {
	var b strings.Builder
	if err := NewWriter(&b, "none").Close(); err != nil {
		t.Fatal(err)
	}
	if want := xml.Header + "<testsuites name=\"none\">\n</testsuites>\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

var errFull = errors.New("full")

// short takes some writes, then none.
type short struct{ left int }

func (s *short) Write(p []byte) (int, error) {
	if s.left--; s.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestErrors: an error of any write is returned.
func TestErrors(t *testing.T) {
	write := func(writes int) error {
		w := NewWriter(&short{writes}, "n")
		if err := w.Write(&Suite{Name: "s"}); err != nil {
			return err
		}
		return w.Close()
	}
	writes := 0
	for ; write(writes) != nil; writes++ {
		if err := write(writes); !errors.Is(err, errFull) {
			t.Fatalf("after %d writes: %v", writes, err)
		}
	}
	if writes < 3 {
		t.Errorf("no error after %d writes", writes)
	}
}
