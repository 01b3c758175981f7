package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var tokens = experiment{
	section: 12, name: "tokens", title: "The streaming Decoder.Token API for huge documents",
	says: "Unmarshal and one Decode build the whole document, so that a document larger than memory needs Token: walk to the array, " +
		"then Decode element by element. Memory stays at one element's worth, whatever the document's size.",
	method: "The section's program takes the e-mail of each user from a document that is made while it is read: 600 MB (quick: " +
		"160 MB) and a quarter of it. The quarter read token by token. A tenth of it read by Unmarshal and by one Decode. " +
		"An element that is one long string. Time with 1,000 users.",
	cases: []label{
		{"walk", "1,000 users, the section's program: Token, then Decode of each"},
		{"all-tokens", "1,000 users, Token by Token"},
		{"unmarshal", "1,000 users, Unmarshal into a struct with the array"},
		{"unmarshal-any", "1,000 users, Unmarshal into an any"},
	},
	values: []label{
		{"walk/over-unmarshal", "time of the section's program / Unmarshal"},
		{"all-tokens/over-unmarshal", "time of Token by Token / Unmarshal"},
		{"document/bytes", "the document"},
		{"walk/emails", "e-mails found, of all users"},
		{"walk/peak", "the section's program: peak of the heap"},
		{"walk-quarter/peak", "the same with a quarter of the document"},
		{"all-tokens/peak", "a quarter of the document, Token by Token: peak of the heap"},
		{"unmarshal-tenth/peak", "a tenth of the document, ReadAll and Unmarshal: peak of the heap"},
		{"decode-tenth/peak", "a tenth of the document, one Decode: peak of the heap"},
		{"long/peak", "a long string in one element: peak of the heap"},
		{"walk/peak-of-document", "the section's program: peak / document"},
		{"all-tokens/peak-of-document", "Token by Token: peak / document"},
		{"unmarshal/peak-of-document", "ReadAll and Unmarshal: peak / document"},
		{"decode/peak-of-document", "one Decode: peak / document"},
		{"long/peak-of-element", "the element with a long string: peak / its length"},
		{"walk/peak-over-walk-quarter", "the section's program: peak, the document / a quarter of it"},
	},
	keys: []string{
		"document/bytes", "walk/peak", "walk/peak-of-document", "unmarshal/peak-of-document", "decode/peak-of-document",
		"walk/over-unmarshal", "long/peak-of-element",
	},
	claims: []claim{
		{"Unmarshal needs memory for the document (its size or more)", "documents are large", "unmarshal/peak-of-document", atLeast(1)},
		{"one Decode needs memory for the document (its size or more)", "documents are large", "decode/peak-of-document", atLeast(1)},
		{"the walk needs the same memory for a document four times as long (1.5 times at most)", "documents are large", "walk/peak-over-walk-quarter", atMost(1.5)},
		{"the walk finds all elements", "documents are large", "walk/emails", exactlyOne()},
		{"memory stays at one small element's worth", "one value is huge itself", "long/peak-of-element", atMost(0.1)},
	},
	seconds: [2]float64{30, 3},
	run: func(t *trial) error {
		few, err := io.ReadAll(usersOf(t.pick(1000, 1000, 10)))
		if err != nil {
			return err
		}
		type document struct {
			Users []struct {
				Email string `json:"email"`
			} `json:"users"`
		}
		if err := t.compare(
			way{name: "walk", do: func() error { _, err := extractEmails(bytes.NewReader(few), discard); return err }},
			way{name: "all-tokens", do: func() error { return readTokens(bytes.NewReader(few)) }},
			decodeAs[document]("unmarshal", few), decodeAs[any]("unmarshal-any", few),
		); err != nil {
			return err
		}
		t.over("walk", "unmarshal")
		t.over("all-tokens", "unmarshal")

		perUser := float64(len(few)) / float64(t.pick(1000, 1000, 10))
		n := int(float64(t.pick(600e6, 160e6, 100e3)) / perUser)
		long := t.pick(64e6, 8e6, 100e3)
		size := new(counter)
		if _, err := io.Copy(size, usersOf(n)); err != nil {
			return err
		}
		found := 0
		walk := func(n int) func() error {
			return func() (err error) { found, err = extractEmails(usersOf(n), discard); return err }
		}
		readAll := func() error {
			text, err := io.ReadAll(usersOf(n / 10))
			if err != nil {
				return err
			}
			return json.Unmarshal(text, new(document))
		}
		peaks, err := t.peaks(1,
			way{name: "walk-quarter", do: walk(n / 4)}, way{name: "walk", do: walk(n)},
			way{name: "all-tokens", do: func() error { return readTokens(usersOf(n / 4)) }},
			way{name: "unmarshal-tenth", do: readAll},
			way{name: "decode-tenth", do: func() error { return json.NewDecoder(usersOf(n / 10)).Decode(new(document)) }},
			way{name: "long", do: func() error { _, err := extractEmails(longUser(int64(long)), discard); return err }})
		if err != nil {
			return err
		}
		t.set("document/bytes", figures.Exactly(float64(*size), "B"))
		t.set("walk/emails", share(float64(found), float64(n)))
		t.set("walk/peak-of-document", share(peaks["walk"][0], float64(*size)))
		t.set("all-tokens/peak-of-document", share(peaks["all-tokens"][0], float64(*size)/4))
		t.set("unmarshal/peak-of-document", share(peaks["unmarshal-tenth"][0], float64(*size)/10))
		t.set("decode/peak-of-document", share(peaks["decode-tenth"][0], float64(*size)/10))
		t.set("long/peak-of-element", share(peaks["long"][0], float64(long)))
		t.set("walk/peak-over-walk-quarter", quotients(peaks["walk"], peaks["walk-quarter"]))
		return nil
	},
}

// extractEmails is the section's program. It writes the e-mail of each user on a line.
func extractEmails(r io.Reader, w io.Writer) (found int, err error) {
	d, e := json.NewDecoder(r), json.NewEncoder(w)
	if err := skipUntilKey(d, "users"); err != nil {
		return 0, err
	}
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return 0, fmt.Errorf("expected an array, found %v: %w", t, err)
	}
	for ; d.More(); found++ {
		var u struct {
			Email string `json:"email"`
		}
		if err := d.Decode(&u); err != nil {
			return found, err
		}
		if err := e.Encode(u.Email); err != nil {
			return found, err
		}
	}
	return found, nil
}

// skipUntilKey reads to the value of a member of the outermost object.
func skipUntilKey(d *json.Decoder, key string) error {
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		t, err := d.Token()
		if err != nil || t == key {
			return err
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return fmt.Errorf("no member %q", key)
}

func readTokens(r io.Reader) error {
	d := json.NewDecoder(r)
	return forEach(func() error {
		_, err := d.Token()
		return err
	})
}

// usersOf is a document with n users that is made while it is read, so that it takes no memory.
func usersOf(n int) io.Reader {
	return io.MultiReader(strings.NewReader(`{"version":{"major":1},"users":[`), &madeUp{n: n}, strings.NewReader(`]}`))
}

// longUser is a document with a user whose text is that long.
func longUser(length int64) io.Reader {
	return io.MultiReader(strings.NewReader(`{"users":[{"text":"`), io.LimitReader(letters{}, length), strings.NewReader(`","email":"a@b.example"}]}`))
}

// madeUp makes users, separated by commas.
type madeUp struct {
	n, next int
	pending []byte // what of the last one was not read yet
	buffer  []byte
}

func (m *madeUp) Read(p []byte) (int, error) {
	for len(m.pending) == 0 {
		if m.next == m.n {
			return 0, io.EOF
		}
		b := m.buffer[:0]
		if m.next > 0 {
			b = append(b, ",\n"...)
		}
		number := strconv.Itoa(m.next)
		b = append(append(append(append(b, `{"id":`...), number...), `,"email":"user-`...), number...)
		b = append(append(append(b, `@mail.example","about":"`...), about...), `","tags":["a","b"],"age":30}`...)
		m.buffer, m.pending = b, b
		m.next++
	}
	n := copy(p, m.pending)
	m.pending = m.pending[n:]
	return n, nil
}

var about = strings.Repeat("All work and no play. ", 20)

// letters reads x without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
