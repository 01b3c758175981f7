package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// column is a column of the row group that is being filled.
type column struct {
	path     []string
	field    int  // of the row
	list     bool // the field is a list, of structs with the field inner
	inner    int
	kind     format.Type
	optional bool
	encoding format.Encoding
	plain    bool // the dictionary is full: later pages do without

	// The page that is being filled: levels say where values are missing and lists begin.
	repetition, definition []byte
	rows, nulls            int
	size                   int     // about what it takes
	values                 []byte  // plain ones
	longs                  []int64 // those with delta encoding
	indexes                []int32 // those in the dictionary

	dictionary   dictionary
	head, pages  []byte // the page of the dictionary, and those of values, compressed
	uncompressed int64  // their size before that
	count        int64  // of values, with nulls
	used         []format.Encoding
	stats        statistics
}

// dictionary holds the different values of a column of strings.
type dictionary struct {
	index map[string]int32
	size  int
	text  []byte // in their order, as plain values
}

// add adds the values of a row.
func (c *column) add(row reflect.Value) {
	c.rows++
	value := row.Field(c.field)
	if !c.list {
		c.value(value, 0, 0)
		return
	}
	n := value.Len()
	if n == 0 {
		c.missing(0, 0)
	}
	for i := range n {
		c.value(value.Index(i).Field(c.inner), byte(min(i, 1)), 1)
	}
}

// missing notes that there is no value at a level.
func (c *column) missing(repetition, definition byte) {
	c.repetition, c.definition = append(c.repetition, repetition), append(c.definition, definition)
	c.nulls++
	c.size++
}

// value adds a value, or a null.
func (c *column) value(v reflect.Value, repetition, definition byte) {
	if c.optional {
		if v.IsZero() {
			c.missing(repetition, definition)
			return
		}
		definition++
	}
	c.repetition, c.definition = append(c.repetition, repetition), append(c.definition, definition)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch c.kind {
	case format.ByteArray:
		c.string(v.String())
		return
	case format.Int32:
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v.Int()))
		c.stats.int(v.Int())
	case format.Int64:
		if c.encoding == format.DeltaBinaryPacked {
			c.longs = append(c.longs, v.Int())
		} else {
			c.values = binary.LittleEndian.AppendUint64(c.values, uint64(v.Int()))
		}
		c.stats.int(v.Int())
	case format.Double:
		c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v.Float()))
		c.stats.float(v.Float())
	}
	c.size += 8
}

// string adds a string, which is valid during the call only.
func (c *column) string(s string) {
	if c.encoding != format.RLEDictionary || c.plain {
		c.values = appendText(c.values, s)
		c.size += 4 + len(s)
		c.stats.text(s)
		return
	}
	d := &c.dictionary
	i, known := d.index[s]
	if !known {
		if d.index == nil {
			d.index = map[string]int32{}
		}
		i = int32(len(d.index))
		d.index[strings.Clone(s)] = i
		d.text = appendText(d.text, s)
		d.size = len(d.text)
		c.stats.text(s)
	}
	c.indexes = append(c.indexes, i)
	c.size += 4
}

func appendText(to []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(len(s))), s...)
}

// levels encodes levels up to most as runs.
func levels(list []byte, most byte) []byte {
	if most == 0 {
		return nil
	}
	data, err := (&rle.Encoding{BitWidth: bits.Len8(most)}).EncodeLevels(nil, list)
	if err != nil {
		panic(err) // levels are bits
	}
	return data
}

// endPage compresses the page, if it has rows.
func (c *column) endPage(z *zstd.Encoder) {
	if c.rows == 0 {
		return
	}
	var repetitions, definitions byte
	if c.list {
		repetitions, definitions = 1, 1
	}
	if c.optional {
		definitions++
	}
	header := format.DataPageHeaderV2{
		NumValues: int32(len(c.definition)), NumNulls: int32(c.nulls), NumRows: int32(c.rows), Encoding: format.Plain,
	}
	body := c.values
	var err error
	switch {
	case len(c.longs) > 0:
		header.Encoding = format.DeltaBinaryPacked
		body, err = new(delta.BinaryPackedEncoding).EncodeInt64(nil, c.longs)
	case len(c.indexes) > 0:
		header.Encoding = format.RLEDictionary
		body, err = new(rle.DictionaryEncoding).EncodeInt32(nil, c.indexes)
	}
	if err != nil {
		panic(err) // of values that fit their type
	}
	repeated, defined := levels(c.repetition, repetitions), levels(c.definition, definitions)
	header.RepetitionLevelsByteLength, header.DefinitionLevelsByteLength = int32(len(repeated)), int32(len(defined))
	header.IsCompressed = thrift.New(len(body) > 0) // readers differ about nothing that is compressed
	page := slices.Concat(repeated, defined)
	size := len(page) + len(body)
	if len(body) > 0 {
		page = z.EncodeAll(body, page)
	}
	c.pages = c.append(c.pages, format.PageHeader{Type: format.DataPageV2, DataPageHeaderV2: thrift.New(header)}, page, size)
	if !slices.Contains(c.used, header.Encoding) {
		c.used = append(c.used, header.Encoding)
	}
	c.count += int64(len(c.definition))
	c.stats.nulls += int64(c.nulls)
	c.repetition, c.definition, c.rows, c.nulls, c.size = c.repetition[:0], c.definition[:0], 0, 0, 0
	c.values, c.longs, c.indexes = c.values[:0], c.longs[:0], c.indexes[:0]
}

// append appends a page with its header; size is what it was before compression.
func (c *column) append(to []byte, header format.PageHeader, page []byte, size int) []byte {
	header.UncompressedPageSize, header.CompressedPageSize = int32(size), int32(len(page))
	head := encoded(&header)
	c.uncompressed += int64(len(head) + size)
	return append(append(to, head...), page...)
}

// chunk completes the column, which is written at an offset of the file.
func (c *column) chunk(offset int64, z *zstd.Encoder) format.ColumnChunk {
	meta := format.ColumnMetaData{
		Type: c.kind, Encoding: append(c.used, format.RLE), PathInSchema: c.path, Codec: format.Zstd, NumValues: c.count,
		DataPageOffset: offset, Statistics: c.stats.of(c.kind),
	}
	if n := len(c.dictionary.index); n > 0 {
		header := format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain}
		text := c.dictionary.text
		c.head = c.append(nil, format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(header)}, z.EncodeAll(text, nil), len(text))
		meta.DictionaryPageOffset, meta.DataPageOffset = offset, offset+int64(len(c.head))
		if !slices.Contains(c.used, format.Plain) {
			meta.Encoding = append(meta.Encoding, format.Plain)
		}
	}
	meta.TotalUncompressedSize, meta.TotalCompressedSize = c.uncompressed, int64(len(c.head)+len(c.pages))
	return format.ColumnChunk{MetaData: meta}
}

// reset empties the column for the next row group.
func (c *column) reset() {
	c.plain, c.dictionary, c.head, c.pages = false, dictionary{}, nil, c.pages[:0]
	c.uncompressed, c.count, c.used, c.stats = 0, 0, nil, statistics{}
}

// statistics are the least and the greatest value of a column, by which engines skip row groups.
type statistics struct {
	some         bool
	nulls        int64
	low, high    int64
	least, most  float64
	first, last  string
	textsTooLong bool
}

// statisticsTextMax is the longest text that is kept as a limit of a column.
const statisticsTextMax = 64

func (s *statistics) int(v int64) {
	if !s.some {
		s.some, s.low, s.high = true, v, v
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
}

func (s *statistics) float(v float64) {
	if !s.some {
		s.some, s.least, s.most = true, v, v
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
}

func (s *statistics) text(v string) {
	if s.textsTooLong = s.textsTooLong || len(v) > statisticsTextMax; s.textsTooLong {
		return
	}
	if !s.some {
		s.some, s.first, s.last = true, strings.Clone(v), strings.Clone(v)
	}
	if v < s.first {
		s.first = strings.Clone(v)
	}
	if v > s.last {
		s.last = strings.Clone(v)
	}
}

// of returns the statistics of a column of a type.
func (s *statistics) of(kind format.Type) format.Statistics {
	f := format.Statistics{NullCount: s.nulls}
	if !s.some || s.textsTooLong {
		return f
	}
	le := binary.LittleEndian
	switch kind {
	case format.Int32:
		f.MinValue, f.MaxValue = le.AppendUint32(nil, uint32(s.low)), le.AppendUint32(nil, uint32(s.high))
	case format.Int64:
		f.MinValue, f.MaxValue = le.AppendUint64(nil, uint64(s.low)), le.AppendUint64(nil, uint64(s.high))
	case format.Double:
		f.MinValue, f.MaxValue = le.AppendUint64(nil, math.Float64bits(s.least)), le.AppendUint64(nil, math.Float64bits(s.most))
	case format.ByteArray:
		f.MinValue, f.MaxValue = []byte(s.first), []byte(s.last)
	}
	return f
}
