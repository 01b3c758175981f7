package verdictlog

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/rtbwire/rtbwire/batch"
)

// Line is a line of the log.
type Line struct {
	// Time is when the request came; that of a record is its timestamp.
	Time time.Time `json:"time"`
	*batch.Row
	// Offset is the position of a record; a request has none.
	Offset *int64 `json:"offset,omitempty"`
}

// lineMaker makes lines of rows.
type lineMaker struct{ buf bytes.Buffer }

// line returns the line of an item, which is valid until the next call.
func (m *lineMaker) line(i *item) ([]byte, error) {
	if m.buf.Cap() > LineMax {
		m.buf = bytes.Buffer{}
	}
	m.buf.Reset()
	out := json.NewEncoder(&m.buf)
	out.SetEscapeHTML(false)
	l := Line{Time: i.time.UTC(), Row: i.row}
	if i.row.File != "" {
		l.Offset = &i.row.Offset
	}
	err := out.Encode(l)
	return m.buf.Bytes(), err
}
