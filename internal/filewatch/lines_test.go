package filewatch

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

var lineCases = []struct {
	name, in string
	want     []string // line:text
	err      string
}{
	{name: "empty"},
	{name: "one without a line end", in: "a", want: []string{"1:a"}},
	{name: "CRLF, blank lines, white space", in: "a\r\n\r\n \t\r\n b \r\nc", want: []string{"1:a", "4:b", "5:c"}},
	{name: "comments", in: "# x\na # y\nb#c\nd\t#\n#", want: []string{"2:a", "3:b#c", "4:d"}},
	{name: "byte order mark", in: "\ufeffa\nb", want: []string{"1:a", "2:b"}},
	{name: "byte order mark and a comment", in: "\ufeff# a\nb", want: []string{"2:b"}},
	{name: "the longest line", in: "12345678\r\n12345678", want: []string{"1:12345678", "2:12345678"}},
	{name: "a longer line", in: "a\n123456789\n", want: []string{"1:a"}, err: "line 2: the line is longer than 8 bytes"},
	{name: "a longer line at the end", in: "123456789", err: "line 1: the line is longer than 8 bytes"},
	{name: "binary", in: "a\nb\x00c\n", want: []string{"1:a"}, err: "line 2: " + ErrBinary.Error()},
	{name: "UTF-16", in: "\xff\xfea\x00\n\x00", err: "line 1: " + ErrBinary.Error()},
	{name: "stop", in: "a\nstop\nb", want: []string{"1:a"}, err: "stopped"},
}

func TestLines(t *testing.T) {
	for _, c := range lineCases {
		for how, reader := range map[string]io.Reader{
			"at once": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in)), "end with data": iotest.DataErrReader(strings.NewReader(c.in)),
		} {
			var got []string
			err := Lines(reader, 8, func(n int, text []byte) error {
				if string(text) == "stop" {
					return errors.New("stopped")
				}
				got = append(got, fmt.Sprintf("%d:%s", n, text))
				return nil
			})
			if !slices.Equal(got, c.want) || fmt.Sprint(err) != orNil(c.err) {
				t.Errorf("%s, %s: %q, %v, want %q, %s", c.name, how, got, err, c.want, orNil(c.err))
			}
		}
	}
}

func orNil(err string) string {
	if err == "" {
		return "<nil>"
	}
	return err
}

var recordCases = []struct {
	name, in string
	want     []string // line:field|field
	err      string
}{
	{name: "empty"},
	{name: "fields", in: "a,b\r\nc\n\n\"d,e\", \"f\"\"g\"", want: []string{"1:a|b", "2:c", "4:d,e|f\"g"}},
	{name: "comments and a byte order mark", in: "\ufeff#x,y\na,#b\n", want: []string{"2:a|#b"}},
	{name: "a quoted line end", in: "\"a\nb\",c\nd", want: []string{"1:a\nb|c", "3:d"}},
	{name: "a bare quote", in: "a\nb\"c\n", want: []string{"1:a"}, err: "line 2: expected comma-separated values: bare \" in non-quoted-field"},
	{name: "a quote that is not closed", in: "a\n\"b\nc\n", want: []string{"1:a"}, err: "line 3: expected comma-separated values: extraneous or missing \" in quoted-field"},
	{name: "binary", in: "a,\x00\n", err: "line 1: " + ErrBinary.Error()},
	{name: "a longer record", in: "a\n12345678,9\n", want: []string{"1:a"}, err: "line 2: the line is longer than 8 bytes"},
	{name: "stop", in: "a\nstop\nb", want: []string{"1:a"}, err: "stopped"},
	{name: "many comments", in: strings.Repeat("# "+strings.Repeat("x", 1000)+"\n", 500) + "a", want: []string{"501:a"}},
}

func TestRecords(t *testing.T) {
	for _, c := range recordCases {
		var got []string
		err := Records(iotest.HalfReader(strings.NewReader(c.in)), 8, func(n int, fields []string) error {
			if fields[0] == "stop" {
				return errors.New("stopped")
			}
			got = append(got, fmt.Sprintf("%d:%s", n, strings.Join(fields, "|")))
			return nil
		})
		if !slices.Equal(got, c.want) || fmt.Sprint(err) != orNil(c.err) {
			t.Errorf("%s: %q, %v, want %q, %s", c.name, got, err, c.want, orNil(c.err))
		}
	}
}

// endless is a text that never ends. It counts what is read of it.
type endless struct {
	text string
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.n+i)%len(e.text)]
	}
	e.n += len(p)
	return len(p), nil
}

// TestEndless holds what is read of a line or record without an end to what is needed to refuse it.
func TestEndless(t *testing.T) {
	lines := func(r io.Reader) error { return Lines(r, 0, func(int, []byte) error { return nil }) }
	records := func(r io.Reader) error { return Records(r, 0, func(int, []string) error { return nil }) }
	for _, c := range []struct {
		name, start, text string
		read              func(r io.Reader) error
		line              int
	}{
		{"a line", "a\n", "x", lines, 2},
		{"a record", "a\n", "x", records, 2},
		{"a quoted field", "a\n\"", "x", records, 2},
		{"a quoted field of lines", "a\n\"", "\nx", records, 2},
	} {
		r := &endless{text: c.text}
		var line *LineError
		if err := c.read(io.MultiReader(strings.NewReader(c.start), r)); !errors.As(err, &line) || line.Line != c.line {
			t.Errorf("%s: %v, want an error in line %d", c.name, err, c.line)
		}
		if r.n > 2*recordSlack {
			t.Errorf("%s: %d bytes were read", c.name, r.n)
		}
	}
}

func TestReadersFail(t *testing.T) {
	broken := errors.New("broken disk")
	for name, err := range map[string]error{
		"Lines":   Lines(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 0, func(int, []byte) error { return nil }),
		"Records": Records(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), 0, func(int, []string) error { return nil }),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v, want %v", name, err, broken)
		}
	}
}
