package lists

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// Format is how the text of a list is read.
type Format string

// The formats. Auto is CSV for names that end in .csv and for lists with named columns, and text
// for all others.
const (
	Auto Format = ""
	Text Format = "text" // an entry a line; sellers: fields separated by commas
	CSV  Format = "csv"  // comma-separated values (RFC 4180)
)

// The defaults of [Limits].
const (
	EntriesMaxDefault = 50_000_000
	// LineMaxLimit is the largest LineMax.
	LineMaxLimit = 1 << 16
)

// Limits are those of one list. A value of 0 means the default, from package reload for the first
// two.
type Limits struct {
	FileSizeMax int64
	LineMax     int
	EntriesMax  int
}

// shownMax is how many lines with bad entries an error names.
const shownMax = 10

// parser reads a list.
type parser struct {
	def     *Definition
	builder *builder
	entries int
	columns []int // CSV: where the named columns are
	fields  []string

	bad   int
	first *filewatch.LineError
	lines []int // of the first bad entries
}

func (d *Definition) parser() *parser { return &parser{def: d, builder: newBuilder(d.Kind)} }

func (d *Definition) isCSV() bool {
	return d.Format == CSV || d.Format == Auto && (len(d.Columns) > 0 || strings.EqualFold(filepath.Ext(d.File), ".csv"))
}

// parse is the filewatch.Parser of a list.
func (d *Definition) parse(r io.Reader) (*Table, filewatch.Result, error) {
	p := d.parser()
	var err error
	if d.isCSV() {
		err = filewatch.Records(r, d.Limits.LineMax, p.record)
	} else {
		err = filewatch.Lines(r, d.Limits.LineMax, p.line)
	}
	if err == nil && len(d.Columns) > 0 && p.columns == nil {
		err = p.noColumns()
	}
	if err == nil {
		err = p.refused()
	}
	if err != nil {
		return nil, filewatch.Result{}, err
	}
	return p.finish()
}

func (p *parser) finish() (*Table, filewatch.Result, error) {
	t := p.builder.finish()
	result := filewatch.Result{Entries: t.Len(), Skipped: p.bad}
	if p.first != nil {
		result.SkippedFirst = p.first
	}
	return t, result, nil
}

func (p *parser) line(n int, text []byte) error {
	if p.def.Kind == Seller {
		return p.add(n, strings.Split(string(text), ",")...)
	}
	p.fields = append(p.fields[:0], viewOf(text))
	return p.add(n, p.fields...)
}

func (p *parser) record(n int, fields []string) error {
	if len(p.def.Columns) == 0 {
		return p.add(n, fields...)
	}
	if p.columns == nil {
		for _, name := range p.def.Columns {
			i := slices.IndexFunc(fields, func(f string) bool { return strings.EqualFold(blank.Trim(f), name) })
			if i < 0 {
				return p.noColumns()
			}
			p.columns = append(p.columns, i)
		}
		return nil
	}
	p.fields = p.fields[:0]
	for _, i := range p.columns {
		field := ""
		if i < len(fields) {
			field = fields[i]
		}
		p.fields = append(p.fields, field)
	}
	return p.add(n, p.fields...)
}

func (p *parser) noColumns() error {
	return fmt.Errorf("expected a first line with the columns %s", strings.Join(p.def.Columns, ", "))
}

// add adds an entry. It returns an error when no more entries need to be read.
func (p *parser) add(line int, fields ...string) error {
	if p.entries++; p.entries > p.def.Limits.EntriesMax {
		return &filewatch.LineError{Line: line, Err: fmt.Errorf("the list has more than %d entries", p.def.Limits.EntriesMax)}
	}
	err := p.builder.add(fields...)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errArena):
		return err
	}
	if p.bad++; p.bad == 1 {
		p.first = &filewatch.LineError{Line: line, Err: err}
	}
	if len(p.lines) < shownMax {
		p.lines = append(p.lines, line)
	}
	if p.bad > p.def.BadEntriesMax && p.bad > shownMax {
		return p.refused()
	}
	return nil
}

// refused returns an error if there are more bad entries than are tolerated.
func (p *parser) refused() error {
	if p.bad <= p.def.BadEntriesMax {
		return nil
	}
	if p.bad == 1 {
		return p.first
	}
	also := strings.ReplaceAll(strings.Trim(fmt.Sprint(p.lines[1:]), "[]"), " ", ", ")
	if p.bad > len(p.lines) {
		also += " and more"
	}
	return &filewatch.LineError{Line: p.first.Line, Err: fmt.Errorf("%w; also in lines %s", p.first.Err, also)}
}
