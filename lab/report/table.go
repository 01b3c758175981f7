package report

import (
	"fmt"
	"strings"
)

// table is a Markdown table with a heading.
type table struct {
	title string
	note  string // a sentence below the heading; not read
	head  []string
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write writes the table, nothing if it has no row.
func (t *table) write(b *strings.Builder) {
	if len(t.rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", t.title)
	if t.note != "" {
		fmt.Fprintf(b, "%s\n\n", t.note)
	}
	t.writeRows(b)
}

// writeRows writes the table without its heading.
func (t *table) writeRows(b *strings.Builder) {
	line := func(cells []string) {
		b.WriteByte('|')
		for _, cell := range cells {
			b.WriteString(" " + escape.Replace(strings.TrimSpace(cell)) + " |")
		}
		b.WriteByte('\n')
	}
	line(t.head)
	b.WriteString("|" + strings.Repeat(" --- |", len(t.head)) + "\n")
	for _, row := range t.rows {
		line(row)
	}
}

// escape keeps the text of a cell in its cell, and from being taken for a tag.
var escape = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", `\<`, "\n", " ")

// cellsOf splits a line of a table.
func cellsOf(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var cells []string
	cell := new(strings.Builder)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			cell.WriteByte(line[i])
		case c == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(c)
		}
	}
	return append(cells, strings.TrimSpace(cell.String()))
}

// readTables returns the tables of a Markdown file by their titles.
func readTables(text string) (map[string]*table, error) {
	tables := map[string]*table{}
	var t *table
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			t = &table{title: line[len("## "):]}
			tables[t.title] = t
		case t == nil || !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| --- |"):
		case t.head == nil:
			t.head = cellsOf(line)
		default:
			cells := cellsOf(line)
			if len(cells) != len(t.head) {
				return nil, fmt.Errorf("%s: a row of %d cells under %d headings: %.60s", t.title, len(cells), len(t.head), line)
			}
			t.rows = append(t.rows, cells)
		}
	}
	return tables, nil
}

// column is what a table shows of a T.
type column[T any] struct {
	head string
	cell func(*T) cell
}

// write adds a row per record.
func write[T any](t *table, columns []column[T], records []T) *table {
	for _, c := range columns {
		t.head = append(t.head, c.head)
	}
	for i := range records {
		row := make([]string, len(columns))
		for c := range columns {
			row[c] = columns[c].cell(&records[i]).write()
		}
		t.add(row...)
	}
	return t
}

// read returns the records of a table that write has made, nil without a table.
func read[T any](t *table, columns []column[T]) ([]T, error) {
	if t == nil {
		return nil, nil
	}
	records := make([]T, len(t.rows))
	for i, row := range t.rows {
		for c, column := range columns {
			if c >= len(row) || t.head[c] != column.head {
				return nil, fmt.Errorf("%s: no column %q", t.title, column.head)
			}
			if err := column.cell(&records[i]).read(row[c]); err != nil {
				return nil, fmt.Errorf("%s, %s, %s: %w", t.title, row[0], column.head, err)
			}
		}
	}
	return records, nil
}

// turn makes rows of columns: a record per column becomes one per row.
func turn(t *table) *table {
	turned := &table{title: t.title, note: t.note}
	for c, head := range t.head {
		row := []string{head}
		for _, r := range t.rows {
			row = append(row, r[c])
		}
		if c == 0 {
			turned.head = row
		} else {
			turned.rows = append(turned.rows, row)
		}
	}
	return turned
}
