package wire_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// counting notes how it is read.
type counting struct {
	r     io.Reader
	bytes int // that it has returned
	calls int
}

func (c *counting) Read(b []byte) (int, error) {
	c.calls++
	n, err := c.r.Read(b)
	c.bytes += n
	return n, err
}

// stuttering returns nothing between any two bytes, several times.
type stuttering struct {
	r     io.Reader
	calls int
}

func (s *stuttering) Read(b []byte) (int, error) {
	if s.calls++; s.calls%50 != 0 || len(b) == 0 {
		return 0, nil
	}
	return s.r.Read(b[:1])
}

// lying has a length that it does not hold.
type lying struct {
	io.Reader
	length int
}

func (l lying) Len() int { return l.length }

// readers are ways to read the same text.
func readers(text string) map[string]io.Reader {
	return map[string]io.Reader{
		"bytes.Reader":     bytes.NewReader([]byte(text)),
		"strings.Reader":   strings.NewReader(text),
		"bytes.Buffer":     bytes.NewBufferString(text),
		"without a length": io.MultiReader(strings.NewReader(text)),
		"one byte":         iotest.OneByteReader(strings.NewReader(text)),
		"data with EOF":    iotest.DataErrReader(strings.NewReader(text)),
		"stuttering":       &stuttering{r: strings.NewReader(text)},
		"length too small": lying{strings.NewReader(text), len(text) / 2},
		"length too large": lying{strings.NewReader(text), math.MaxInt},
		"length negative":  lying{strings.NewReader(text), -1},
	}
}

// TestReadAll reads texts of many lengths with limits around them.
func TestReadAll(t *testing.T) {
	for _, size := range []int{0, 1, 2, 4095, 4096, 4097, 70_000} {
		text := strings.Repeat("0123456789", size/10+1)[:size]
		for _, limit := range []int64{-1, 0, int64(size) - 1, int64(size), int64(size) + 1, 1 << 62} {
			for name, r := range readers(text) {
				for _, dst := range [][]byte{nil, []byte("kept"), append(make([]byte, 0, 100_000), "kept"...)} {
					if seeker, ok := r.(io.Seeker); ok {
						_, _ = seeker.Seek(0, io.SeekStart)
					} else if len(dst) > 0 {
						r = readers(text)[name]
					}
					kept := string(dst)
					got, err := wire.ReadAll(dst, r, limit)
					if int64(size) <= max(limit, 0) {
						if err != nil || string(got) != kept+text {
							t.Fatalf("%s: %d bytes, limit %d: %d bytes, %v", name, size, limit, len(got), err)
						}
						continue
					}
					var e *wire.Error
					if !errors.As(err, &e) || e.Code != wire.CodeSize || e.Offset != int(max(limit, 0)) || e.Path != "" || string(got) != kept {
						t.Fatalf("%s: %d bytes, limit %d: %d bytes, %v", name, size, limit, len(got), err)
					}
				}
			}
		}
	}
}

// TestReadAllStops wants one byte more than the limit to be read, and no more.
func TestReadAllStops(t *testing.T) {
	for _, limit := range []int{0, 1, 5000, 100_000} {
		for _, dst := range [][]byte{nil, make([]byte, 3, 200_000)} {
			c := &counting{r: strings.NewReader(strings.Repeat("x", 1<<20))}
			if _, err := wire.ReadAll(dst, c, int64(limit)); !errors.Is(err, wire.CodeSize) || c.bytes != limit+1 {
				t.Errorf("limit %d, room for %d: %d bytes read, %v", limit, cap(dst), c.bytes, err)
			}
		}
	}
}

// TestReadAllGrows wants memory in proportion to the data, whatever the limit and the announced
// length, and a number of steps that grows with the logarithm of the length.
func TestReadAllGrows(t *testing.T) {
	for _, size := range []int{10, 5000, 3 << 20} {
		for _, announced := range []int{0, math.MaxInt} {
			c := &counting{r: strings.NewReader(strings.Repeat("x", size))}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := wire.ReadAll(nil, lying{c, announced}, 1<<40)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			memory, most, calls := int(after.TotalAlloc-before.TotalAlloc), 4*size+(10<<10), 3
			for n := 4096; n < size; n *= 2 {
				calls++
			}
			if announced > 0 {
				most += 1 << 20
			}
			if len(got) != size || memory > most || c.calls > calls {
				t.Errorf("%d bytes, %d announced: %d bytes of memory (want at most %d), %d reads (want at most %d)",
					size, announced, memory, most, c.calls, calls)
			}
		}
	}
	if testkit.Race {
		return // its build allocates more
	}
	data, text := make([]byte, 50_000), new(bytes.Reader)
	if n := testing.AllocsPerRun(10, func() {
		text.Reset(data)
		_, _ = wire.ReadAll(nil, text, 1<<20)
	}); n != 1 {
		t.Errorf("a reader with a length takes %v allocations", n)
	}
}

// TestReadAllReuses reads into a buffer that has room.
func TestReadAllReuses(t *testing.T) {
	buf, text, r := make([]byte, 0, 8192), []byte(strings.Repeat("x", 8000)), bytes.NewReader(nil)
	if n := testing.AllocsPerRun(10, func() {
		r.Reset(text)
		out, err := wire.ReadAll(buf[:0], r, 64<<10)
		if err != nil || &out[0] != &buf[:1][0] {
			t.Fatalf("another buffer, %v", err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestReadAllErrors wants errors of the reader to be found, and told from those of the document.
func TestReadAllErrors(t *testing.T) {
	broken := errors.New("connection reset")
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"at once":                  {iotest.ErrReader(broken), broken},
		"midway":                   {io.MultiReader(strings.NewReader(`{"id":`), iotest.ErrReader(broken)), broken},
		"midway, with data":        {iotest.DataErrReader(io.MultiReader(strings.NewReader(`{"id":`), iotest.ErrReader(broken))), broken},
		"cut off":                  {iotest.ErrReader(io.ErrUnexpectedEOF), io.ErrUnexpectedEOF},
		"time":                     {iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab"))), iotest.ErrTimeout},
		"nothing, again and again": {iotest.ErrReader(nil), io.ErrNoProgress},
		"a limit of net/http":      {http.MaxBytesReader(nil, io.NopCloser(strings.NewReader("abc")), 2), nil},
	} {
		dst := []byte("kept")
		got, err := wire.ReadAll(dst, c.r, 100)
		var e *wire.Error
		if err == nil || errors.As(err, &e) || string(got) != "kept" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v in it", name, err, c.want)
		}
		if tooLong := (*http.MaxBytesError)(nil); c.want == nil && !errors.As(err, &tooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, n := range []int{-1, 1 << 20} {
		if _, err := wire.ReadAll(nil, impossible(n), 100); err == nil || !strings.Contains(err.Error(), "impossible count") {
			t.Errorf("a count of %d: %v", n, err)
		}
	}
}

// impossible returns a count that no reader may return.
type impossible int

func (n impossible) Read([]byte) (int, error) { return int(n), nil }
