package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/rtbwire/rtbwire/internal/options"
)

const (
	// readMin is the room that ReadAll makes first when dst has none: most bid requests fit.
	readMin = 4 << 10
	// readHint is the most that it makes because the reader announces a length: an announcement
	// is not yet data.
	readHint = 1 << 20
	// readEmpty is how many reads in a row may return nothing, as in package bufio.
	readEmpty = 100
)

// errReadCount is the error of a reader that breaks the contract of io.Reader.
var errReadCount = errors.New("the reader returned an impossible count")

// ReadAll appends what r holds, up to its end, to dst and returns the longer slice: the way to read
// a document into a buffer that is used again. The generated functions ParseReader call it.
//
// More than limit bytes are refused with an [*Error] whose code is [CodeSize] and whose offset is
// the limit. To know that there are more, ReadAll takes one byte more than limit from r, and then
// stops. A limit of 0 or less allows no byte, one above 512 MiB means that.
//
// Other errors come from r, wrapped; errors.As finds no [*Error] in them, unless r itself returned
// one. On failure dst is returned in its old length, with the memory that it has got.
//
// Memory doubles as data arrives, so that a large limit costs nothing by itself. If r has a method
// Len, as a bytes.Reader has, the first step makes room for that many bytes, up to 1 MiB.
func ReadAll(dst []byte, r io.Reader, limit int64) ([]byte, error) {
	start := len(dst)
	most := int(min(max(limit, 0), options.SizeMax))
	if sized, ok := r.(interface{ Len() int }); ok {
		dst = withRoom(dst, min(sized.Len(), most, readHint)+1) // the last byte finds the end
	}
	for empty := 0; empty < readEmpty; {
		if len(dst) == cap(dst) {
			dst = withRoom(dst, min(max(cap(dst), readMin), start+most+1-len(dst)))
		}
		room := dst[len(dst):min(cap(dst), start+most+1)]
		n, err := r.Read(room)
		if n < 0 || n > len(room) {
			return dst[:start], fmt.Errorf("wire: reading the document: %w", errReadCount)
		}
		dst = dst[:len(dst)+n]
		switch {
		case len(dst)-start > most:
			return dst[:start], &Error{Code: CodeSize, Offset: most, Expected: atMost(most)}
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst[:start], fmt.Errorf("wire: reading the document: %w", err)
		case n > 0:
			empty = 0
		default:
			empty++
		}
	}
	return dst[:start], fmt.Errorf("wire: reading the document: %w", io.ErrNoProgress)
}

// withRoom returns b with room for at least n bytes more, and not many more than that.
func withRoom(b []byte, n int) []byte {
	if n <= cap(b)-len(b) {
		return b
	}
	return append(make([]byte, 0, len(b)+n), b...)
}

// atMost words a limit.
func atMost(bytes int) string {
	if bytes == 1 {
		return "at most 1 byte"
	}
	return fmt.Sprintf("at most %d bytes", bytes)
}
