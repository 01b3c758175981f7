package report

import (
	"io"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/internal/parquet"
)

// Limits of a row group, which is in memory until it is full. Engines read row groups in parallel.
const (
	// RowGroupRows is the largest number of rows in a row group.
	RowGroupRows = 128 << 10
	// RowGroupBytes is how many bytes of texts, findings and numbers begin the next row group,
	// before they are encoded and compressed.
	RowGroupBytes = 64 << 20
	// dictionaryBytes is the largest dictionary of a column; above it, values are written plainly.
	dictionaryBytes = 1 << 20
	// pageBytes is the size of a page, the piece of a column that is compressed.
	pageBytes = 256 << 10
)

// ParquetSchema is the version of the columns, which the file has as metadata under
// "rtbwire.schema". It changes when a column changes its meaning or goes; more columns do not
// change it.
const ParquetSchema = "1"

// parquetReport is a table of all documents: the columns of [batch.Row].
type parquetReport struct {
	w     *parquet.Writer[batch.Row]
	o     Options
	table summaryTable
	group struct{ rows, bytes int } // of the row group that is being filled
	limit struct{ rows, bytes int } // of every row group
}

func newParquet(w io.Writer, o Options) Report {
	p := &parquetReport{o: o, w: parquet.New[batch.Row](w, parquet.Options{
		Program: "rtbwire", Version: o.Version, DictionaryBytes: dictionaryBytes, PageBytes: pageBytes,
		Metadata: [][2]string{{"rtbwire.schema", ParquetSchema}, {"rtbwire.configuration", o.Config}, {"openrtb.version", o.Spec}},
	})}
	p.limit.rows, p.limit.bytes = RowGroupRows, RowGroupBytes
	return p
}

// Document does nothing: findings are in the rows.
func (p *parquetReport) Document(*batch.Result) error { return nil }

// Rows takes the rows of successive documents. They are valid during the call only.
func (p *parquetReport) Rows(rows []batch.Row) error {
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && !p.full() {
			p.group.bytes += rowBytes(&rows[n])
			p.group.rows++
			n++
		}
		if err := p.w.Write(rows[:n]); err != nil {
			return err
		}
		if p.full() {
			if err := p.w.Flush(); err != nil {
				return err
			}
			p.group.rows, p.group.bytes = 0, 0
		}
		rows = rows[n:]
	}
	return nil
}

// full reports whether the row group has reached its limits.
func (p *parquetReport) full() bool {
	return p.group.rows >= p.limit.rows || p.group.bytes >= p.limit.bytes
}

// rowBytes is about what a row takes in memory before it is compressed.
func rowBytes(r *batch.Row) int {
	const numbers, finding = 160, 16 // of all other columns
	n := numbers + len(r.File) + len(r.ID) + len(r.PublisherID) + len(r.SiteDomain) + len(r.AppBundle) + len(r.Country) + len(r.DeviceOS) + len(r.BidFloorCur)
	for i := range r.Findings {
		f := &r.Findings[i]
		n += finding + len(f.ID) + len(f.Path)
	}
	return n
}

func (p *parquetReport) Input(s *batch.InputStats) error {
	p.table.add(s)
	return nil
}

// End completes the file. With a summary, its tables go to [Options.Tables].
func (p *parquetReport) End(s *Summary) error {
	if err := p.w.Close(); err != nil {
		return err
	}
	if !p.o.Summary {
		return nil
	}
	return p.table.write(p.o.Tables, s, p.o)
}
