package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// Encoding says how an input is compressed.
type Encoding uint8

// The encodings.
const (
	Plain Encoding = iota
	Gzip
	Zstd
)

var encodingNames = [...]string{Plain: "plain", Gzip: "gzip", Zstd: "zstd"}

// String returns "plain", "gzip" or "zstd".
func (e Encoding) String() string {
	if int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return fmt.Sprintf("Encoding(%d)", e)
}

// ErrFormat is matched by the errors of inputs in a format that this package does not read. The
// error's text says what to do about it.
var ErrFormat = errors.New("format not supported")

// magics are the first bytes of common file formats. Formats that can't be read get an error
// that helps instead of a million findings.
var magics = []struct {
	prefix   string
	encoding Encoding
	refused  string // why, and what to do
}{
	{prefix: "\x1f\x8b", encoding: Gzip},
	{prefix: "\x28\xb5\x2f\xfd", encoding: Zstd},
	{prefix: "\xfd7zXZ\x00", refused: "this file is compressed with xz: pipe the output of \"xz -dc\" into the check"},
	{prefix: "BZh", refused: "this file is compressed with bzip2: pipe the output of \"bzip2 -dc\" into the check"},
	{prefix: "\x04\x22\x4d\x18", refused: "this file is compressed with lz4: pipe the output of \"lz4 -dc\" into the check"},
	{prefix: "PK\x03\x04", refused: "this is a zip archive: unpack it first"},
	{prefix: "PAR1", refused: "this is a Parquet file: export the column with the documents as lines of JSON first"},
	{prefix: "\xff\xfe", refused: "this text is UTF-16: convert it to UTF-8 first, for example with \"iconv -f UTF-16 -t UTF-8\""},
	{prefix: "\xfe\xff", refused: "this text is UTF-16: convert it to UTF-8 first, for example with \"iconv -f UTF-16 -t UTF-8\""},
}

// zstdSkippable follows a byte from 50 to 5f at the beginning of a skippable frame, which zstd
// data may begin with instead of its magic number.
const zstdSkippable = "\x2a\x4d\x18"

// sniffSize is how many bytes are read to recognise a format.
const sniffSize = 8

// decompress returns the text in r. The content decides; the name decides only if the content is
// neither compressed data nor the beginning of a JSON text. close releases the decoder's memory
// and must be called. skipped is the length of the byte order mark that was left out.
func decompress(r io.Reader, name string) (text io.Reader, e Encoding, skipped int64, close func(), err error) {
	raw := bufio.NewReader(r)
	close = func() {}
	e, err = sniff(raw, name)
	if err != nil {
		return nil, e, 0, close, err
	}
	plain := raw
	switch e {
	case Gzip:
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, e, 0, close, corrupt(e, err)
		}
		plain = bufio.NewReader(corruptReader{z, e})
	case Zstd:
		z, err := zstd.NewReader(raw, zstd.WithDecoderMaxWindow(MaxWindow))
		if err != nil {
			return nil, e, 0, close, corrupt(e, err)
		}
		close = z.Close
		plain = bufio.NewReader(corruptReader{z, e})
	}
	if b, _ := peek(plain, len(grammar.BOM)); grammar.HasBOM(b) {
		skipped, _ = io.CopyN(io.Discard, plain, int64(len(grammar.BOM)))
	}
	return plain, e, skipped, close, nil
}

// sniff recognises the format of what r holds.
func sniff(r *bufio.Reader, name string) (Encoding, error) {
	head, err := peek(r, sniffSize)
	if err != nil && len(head) == 0 && err != io.EOF {
		return Plain, err
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			if m.refused != "" {
				return Plain, fmt.Errorf("%w: %s", ErrFormat, m.refused)
			}
			return m.encoding, nil
		}
	}
	if len(head) > 3 && head[0]&0xf0 == 0x50 && string(head[1:4]) == zstdSkippable {
		return Zstd, nil
	}
	if len(head) > 0 && (grammar.IsSpace(head[0]) || strings.IndexByte("{[\xef", head[0]) >= 0) {
		return Plain, nil
	}
	switch {
	case strings.HasSuffix(name, ".gz"):
		return Gzip, nil
	case strings.HasSuffix(name, ".zst"):
		return Zstd, nil
	}
	return Plain, nil
}

// peek returns the next n bytes of r, or fewer if they are the beginning of JSON text, so that a
// person who types documents sees results before the eighth byte.
func peek(r *bufio.Reader, n int) ([]byte, error) {
	if b, err := r.Peek(1); err != nil || grammar.IsSpace(b[0]) || b[0] == '{' || b[0] == '[' {
		return b, err
	}
	return r.Peek(n)
}

// corruptReader marks the errors of a decoder.
type corruptReader struct {
	r io.Reader
	e Encoding
}

func (c corruptReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if err != nil && err != io.EOF {
		err = corrupt(c.e, err)
	}
	return n, err
}

// ErrCorrupt is matched by the errors of inputs whose compressed data is damaged or ends early.
var ErrCorrupt = errors.New("corrupt or incomplete")

// corrupt wraps a decoder's error. Errors of the reader below it are wrapped as well, because
// they can't be told apart here; errors.Is and errors.As still find them.
func corrupt(e Encoding, err error) error {
	if err == io.EOF { // the data ended where a header was expected
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w %v data: %w", ErrCorrupt, e, err)
}
