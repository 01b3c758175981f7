package main

import (
	"bytes"
	"encoding/json"
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

// eventsOfSize returns events whose text is about that long.
func eventsOfSize(size int) ([]event, error) {
	text, err := json.Marshal(makeEvents(100))
	return makeEvents(max(1, size*100/len(text))), err
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
	return way{name: name, do: func() error { return json.Unmarshal(text, new(T)) }}
}

// marshal is a way that writes v.
func marshal(name string, v any) way {
	return way{name: name, do: func() error {
		_, err := json.Marshal(v)
		return err
	}}
}
