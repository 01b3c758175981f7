package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rtbwire/rtbwire/lab/data"
)

// event is a record of the usual kind: about 190 bytes of text.
type event struct {
	ID    int64    `json:"id"`
	Time  string   `json:"time"`
	User  string   `json:"user"`
	Page  string   `json:"page"`
	Price float64  `json:"price"`
	Sizes []int    `json:"sizes"`
	Tags  []string `json:"tags"`
	Seen  bool     `json:"seen"`
}

func makeEvent(i int) event {
	n := strconv.Itoa(i)
	return event{
		ID: int64(i) + 1e9, Time: "2026-03-04T05:06:07Z", User: "user-" + n,
		Page: "https://www.example/news/" + n + ".html", Price: float64(i%997) / 8,
		Sizes: []int{300, 250, i % 1000}, Tags: []string{"sports", "weekend", n}, Seen: i%2 == 0,
	}
}

func makeEvents(n int) []event {
	out := make([]event, n)
	for i := range out {
		out[i] = makeEvent(i)
	}
	return out
}

// appendJSON writes the event without reflection, byte for byte as encoding/json does.
func (e *event) appendJSON(b []byte) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, e.ID, 10)
	b = append(b, `,"time":`...)
	b = appendString(b, e.Time)
	b = append(b, `,"user":`...)
	b = appendString(b, e.User)
	b = append(b, `,"page":`...)
	b = appendString(b, e.Page)
	b = append(b, `,"price":`...)
	b = strconv.AppendFloat(b, e.Price, 'f', -1, 64) // encoding/json has another form from 1e21 on
	b = append(b, `,"sizes":[`...)
	for i, s := range e.Sizes {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(s), 10)
	}
	b = append(b, `],"tags":[`...)
	for i, s := range e.Tags {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	b = append(b, `],"seen":`...)
	b = strconv.AppendBool(b, e.Seen)
	return append(b, '}')
}

// appendString quotes s. It leaves strings with special characters to encoding/json.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			text, _ := json.Marshal(s) // strings can't fail
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// madeUp is an array that is generated while it is read: a document of any size that takes no
// memory.
type madeUp struct {
	element func(b []byte, i int) []byte // appends the i-th
	enough  func(elements int, written int64) bool
	next    int
	written int64
	buffer  []byte
	pending []byte // what of the buffer was not read yet
	ended   bool
}

func appendEvent(b []byte, i int) []byte {
	e := makeEvent(i)
	return e.appendJSON(b)
}

// someEvents reads an array of n events.
func someEvents(n int) *madeUp {
	return &madeUp{element: appendEvent, enough: func(elements int, _ int64) bool { return elements >= n }}
}

// arrayOfSize reads an array of at least size bytes.
func arrayOfSize(size int64, element func(b []byte, i int) []byte) *madeUp {
	return &madeUp{element: element, enough: func(_ int, written int64) bool { return written >= size }}
}

func (r *madeUp) Read(p []byte) (int, error) {
	for len(r.pending) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		r.fill()
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	r.written += int64(n)
	return n, nil
}

// fill makes the next element, or the end.
func (r *madeUp) fill() {
	separator := byte(',')
	if r.next == 0 {
		separator = '['
	}
	b := r.buffer[:0]
	if r.ended = r.enough(r.next, r.written); !r.ended {
		b = r.element(append(b, separator, '\n'), r.next)
	} else {
		if r.next == 0 {
			b = append(b, '[')
		}
		b = append(b, ']')
	}
	r.next++
	r.buffer, r.pending = b, b
}

// benchDocument reads a document of testdata/bench.
func benchDocument(name string) ([]byte, error) {
	root, err := data.Root()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "bench", name+".json"))
	return bytes.TrimSpace(text), err
}

// decodeAs is a way that reads text into a new T.
func decodeAs[T any](name string, text []byte) way {
	return way{name, func() error { return json.Unmarshal(text, new(T)) }}
}

// marshal is a way that writes v.
func marshal(name string, v any) way {
	return way{name, func() error {
		_, err := json.Marshal(v)
		return err
	}}
}
