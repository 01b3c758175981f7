package replay

import (
	"io"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/record"
)

// MemoryDefault is the default of [LoadOptions.MaxMemory], in bytes.
const MemoryDefault = 256 << 20

// LoadOptions configure [Load]. The zero value is the default.
type LoadOptions struct {
	// MaxMemory is how much text is kept, in bytes. Loading ends before the document that would
	// exceed it; see [Bodies.More]. Default: [MemoryDefault].
	MaxMemory int64
	// MaxDocument is the largest document in bytes; larger ones are left out. Default:
	// [batch.MaxDocumentDefault].
	MaxDocument int
	// Layout says how documents are separated. Default: [batch.LayoutAuto].
	Layout batch.Layout
}

// Bodies are the requests to send.
type Bodies struct {
	texts    [][]byte
	size     int64
	more     bool
	tooLarge int
	cut      int
}

// pieceSize is the size of the pieces of memory that texts lie in.
const pieceSize = 1 << 20

// Load reads requests from files of every shape that package batch reads. Every document is sent
// as it is, byte for byte, whether it is a bid request or not. Of the lines of captures
// (package record), the requests are sent.
func Load(inputs []batch.Input, options LoadOptions) (*Bodies, error) {
	if options.MaxMemory == 0 {
		options.MaxMemory = MemoryDefault
	}
	b := new(Bodies)
	var piece []byte
	for _, in := range inputs {
		err := eachDocument(in, batch.Options{MaxDocument: options.MaxDocument, Layout: options.Layout}, func(d *batch.Document) bool {
			text := d.Data
			if !d.TooLarge && record.Is(text) {
				r, err := record.Parse(text)
				if err != nil {
					b.cut++
					return true
				}
				text = r.Request
			}
			n := len(text)
			switch {
			case d.TooLarge:
				b.tooLarge++
				return true
			case b.size+int64(n) > options.MaxMemory:
				b.more = true
				return false
			case n > cap(piece)-len(piece):
				piece = make([]byte, 0, max(pieceSize, n))
			}
			piece = append(piece, text...)
			b.texts = append(b.texts, piece[len(piece)-n:len(piece):len(piece)])
			b.size += int64(n)
			return true
		})
		if err != nil {
			return nil, err
		}
		if b.more {
			break
		}
	}
	return b, nil
}

// eachDocument calls f for the documents of an input until it returns false.
func eachDocument(in batch.Input, options batch.Options, f func(*batch.Document) bool) error {
	r, err := batch.NewReader(in, options)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		d, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case !f(&d):
			return nil
		}
	}
}

// BodiesOf returns the given texts as requests. They must not be changed afterwards.
func BodiesOf(texts ...[]byte) *Bodies {
	b := &Bodies{texts: texts}
	for _, t := range texts {
		b.size += int64(len(t))
	}
	return b
}

// Len returns the number of requests.
func (b *Bodies) Len() int { return len(b.texts) }

// Size returns the number of bytes of all requests.
func (b *Bodies) Size() int64 { return b.size }

// At returns the request with an index below [Bodies.Len].
func (b *Bodies) At(i int) []byte { return b.texts[i] }

// More reports whether the inputs have more documents than memory was allowed for.
func (b *Bodies) More() bool { return b.more }

// Cut returns how many lines of captures could not be read.
func (b *Bodies) Cut() int { return b.cut }

// TooLarge returns how many documents were left out because of their size.
func (b *Bodies) TooLarge() int { return b.tooLarge }
