package gateway

import (
	"bytes"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// CompressMinDefault is how long an answer must be to be worth compressing, in bytes: shorter ones
// fit a packet as they are.
const CompressMinDefault = 1400

// compressGain is the part of an answer that compression must save: what saves less is sent plain,
// so that the receiver has nothing to inflate.
const compressGain = 8

// compressing is how many answers are being compressed. Each needs a writer of some 800 KiB, so
// there are at most compressorsMax; more answers at the same time are sent plain.
var (
	compressing    atomic.Int64
	compressorsMax = int64(2 * runtime.GOMAXPROCS(0))
	compressors    = sync.Pool{New: func() any {
		w, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant
		}
		return &compressor{Writer: w}
	}}
)

// compressor is a writer of gzip with the buffer that it writes to.
type compressor struct {
	*gzip.Writer
	to limited
}

// run compresses a text into dst, which may grow to a capacity. An error says that it does not fit.
func (c *compressor) run(dst, text []byte, capacity int) ([]byte, error) {
	c.to = limited{dst, capacity}
	c.Reset(&c.to)
	_, err := c.Write(text)
	if end := c.Close(); err == nil {
		err = end
	}
	dst, c.to = c.to.b, limited{}
	return dst, err
}

// compressPlain compresses an answer that has no coding, if the sender takes it and it pays. A
// minimum of 0 switches that off.
func (a *answer) compressPlain(minimum int) {
	if minimum > 0 && a.gzip && len(a.http.Header.ContentEncoding()) == 0 {
		a.compress(minimum)
	}
}

// compress compresses the body if it has at least the minimum of bytes and that pays.
func (a *answer) compress(minimum int) {
	body := a.http.Body()
	if len(body) < minimum || bytes.Contains(bytes.ToLower(a.http.Header.Peek(fasthttp.HeaderCacheControl)), noTransform) {
		return
	}
	defer compressing.Add(-1)
	if compressing.Add(1) > compressorsMax {
		return
	}
	c := compressors.Get().(*compressor)
	out, err := c.run(a.compressed[:0], body, len(body)-len(body)/compressGain)
	compressors.Put(c)
	if a.compressed = out; err != nil { // it does not pay
		return
	}
	for _, name := range ofBody {
		a.http.Header.Del(name)
	}
	a.http.Header.SetContentEncodingBytes(nameGzip)
	if cap(out) > keepMax {
		a.http.SwapBody(nil)
		a.http.SetBodyRaw(out)
		a.compressed = nil
		return
	}
	a.http.SetBody(out)
}

// noTransform forbids it (RFC 9111, section 5.2.2.6).
var noTransform = []byte("no-transform")

// limited is a buffer of limited capacity.
type limited struct {
	b        []byte
	capacity int
}

// Write implements [io.Writer].
func (l *limited) Write(p []byte) (int, error) {
	if len(l.b)+len(p) > l.capacity {
		return 0, io.ErrShortWrite
	}
	l.b = append(l.b, p...)
	return len(p), nil
}

// acceptsGzip reports whether Accept-Encoding allows gzip (RFC 9110, section 12.5.3). The first
// mention decides; without one, a * does.
func acceptsGzip(values [][]byte) bool {
	any := false
	for _, value := range values {
		for len(value) > 0 {
			item := value
			if i := bytes.IndexByte(value, ','); i >= 0 {
				item, value = value[:i], value[i+1:]
			} else {
				value = nil
			}
			name, weight, _ := bytes.Cut(item, []byte(";"))
			name = bytes.TrimSpace(name)
			switch {
			case bytes.EqualFold(name, nameGzip), bytes.EqualFold(name, nameXGzip):
				return !isZero(weight)
			case len(name) == 1 && name[0] == '*':
				any = !isZero(weight)
			}
		}
	}
	return any
}

// isZero reports whether a weight is q=0, with up to three decimals.
func isZero(weight []byte) bool {
	name, value, found := bytes.Cut(weight, []byte("="))
	if name = bytes.TrimSpace(name); !found || len(name) != 1 || name[0]|0x20 != 'q' {
		return false
	}
	value = bytes.TrimSpace(value)
	return len(value) > 0 && len(bytes.Trim(value, "0.")) == 0
}
