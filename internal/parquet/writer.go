// Package parquet writes rows as a Parquet file. Rows are structs whose fields are strings,
// numbers, pointers to numbers, and slices of such structs.
//
// It arranges pages and metadata itself and takes encodings from parquet-go's small packages. Its
// main package, which also reads, sorts, and has every codec and type, is five times as large.
package parquet

import (
	"encoding/binary"
	"io"
	"reflect"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Options configure a file.
type Options struct {
	// Program and Version say who wrote the file.
	Program, Version string
	// Metadata is a list of keys and values.
	Metadata [][2]string
	// DictionaryBytes is the largest dictionary of a column; above it, values are written plainly.
	DictionaryBytes int
	// PageBytes is the size of a page, the piece of a column that is compressed.
	PageBytes int
}

// Writer writes rows of type T. The tag parquet:"NAME" of a field is the column's name, followed by
// words: "optional" makes its zero value null, "dict" and "delta" are encodings, and a slice has
// "list".
type Writer[T any] struct {
	w       io.Writer
	o       Options
	columns []*column
	schema  []format.SchemaElement
	zstd    *zstd.Encoder
	offset  int64 // in the file
	rows    int64 // of the row group
	total   int64 // of the file
	groups  []format.RowGroup
	err     error // the first one of the writer
}

// magic begins and ends a file.
const magic = "PAR1"

// New returns a writer of rows to w. Nothing is written before the first row group.
func New[T any](w io.Writer, o Options) *Writer[T] {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	p := &Writer[T]{w: w, o: o, zstd: encoder}
	p.columns, p.schema = columnsOf(reflect.TypeFor[T]())
	return p
}

// Write adds rows to the row group, which stays in memory until [Writer.Flush]. They are valid
// during the call only.
func (p *Writer[T]) Write(rows []T) error {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for _, c := range p.columns {
			c.add(row)
			if c.size >= p.o.PageBytes {
				c.endPage(p.zstd)
			}
			if c.dictionary.size > p.o.DictionaryBytes && !c.plain {
				c.endPage(p.zstd)
				c.plain = true
			}
		}
	}
	p.rows += int64(len(rows))
	return p.err
}

// Flush writes the row group, if it has rows.
func (p *Writer[T]) Flush() error {
	if p.rows == 0 {
		return p.err
	}
	p.begin()
	group := format.RowGroup{NumRows: p.rows, FileOffset: p.offset, Ordinal: int16(len(p.groups))}
	for _, c := range p.columns {
		c.endPage(p.zstd)
		chunk := c.chunk(p.offset, p.zstd)
		p.write(c.head)
		p.write(c.pages)
		group.Columns = append(group.Columns, chunk)
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
		c.reset()
	}
	p.groups = append(p.groups, group)
	p.total += p.rows
	p.rows = 0
	return p.err
}

// Close writes the row group and what ends the file.
func (p *Writer[T]) Close() error {
	if err := p.Flush(); err != nil {
		return err
	}
	p.begin()
	footer := format.FileMetaData{
		Version: 2, Schema: p.schema, NumRows: p.total, RowGroups: p.groups,
		CreatedBy: p.o.Program + " version " + p.o.Version + "(build )",
	}
	for _, pair := range p.o.Metadata {
		footer.KeyValueMetadata = append(footer.KeyValueMetadata, format.KeyValue{Key: pair[0], Value: pair[1]})
	}
	for range p.columns {
		footer.ColumnOrders = append(footer.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	text := encoded(&footer)
	p.write(text)
	p.write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), magic...))
	return p.err
}

// begin writes what begins the file.
func (p *Writer[T]) begin() {
	if p.offset == 0 {
		p.write([]byte(magic))
	}
}

func (p *Writer[T]) write(data []byte) {
	if p.err != nil {
		return
	}
	n, err := p.w.Write(data)
	p.offset += int64(n)
	p.err = err
}

// encoded returns a structure of the format as Thrift's compact protocol has it.
func encoded(v any) []byte {
	data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		panic(err) // structures of the library, in memory
	}
	return data
}
