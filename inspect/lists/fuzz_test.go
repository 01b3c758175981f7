package lists

import (
	"errors"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// FuzzLoad reads a text as each kind of list. A list that is accepted finds its own entries, agrees
// with its reference, and an error names a line.
func FuzzLoad(f *testing.F) {
	for _, file := range files {
		if len(file.text) < 1000 {
			f.Add(file.text, "example.com")
		}
	}
	for _, form := range forms {
		f.Add(form.entry, form.match[0])
		for _, v := range form.not {
			f.Add(form.entry, v)
		}
	}
	for kind, entries := range badEntries {
		f.Add(strings.Join(entries, "\n"), string(kind))
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		for _, kind := range Kinds {
			for _, format := range []Format{Text, CSV} {
				load(t, kind, format, text, value)
			}
		}
	})
}

func load(t *testing.T, kind Kind, format Format, text, value string) {
	t.Helper()
	d := Definition{Kind: kind, File: "file", Format: format}
	if err := d.validate(); err != nil {
		t.Fatal(err)
	}
	list, result, err := d.parse(strings.NewReader(text))
	if err != nil {
		var line *filewatch.LineError
		if !errors.As(err, &line) || line.Line < 1 || line.Line > 1+strings.Count(text, "\n") {
			t.Errorf("%s, %s: %v, want a line of the text", kind, format, err)
		}
		if list != nil {
			t.Errorf("%s, %s: a list was refused and returned", kind, format)
		}
		return
	}
	if result.Entries != list.Len() || result.Skipped != 0 {
		t.Errorf("%s, %s: %+v, want %d entries", kind, format, result, list.Len())
	}
	var entries []string // of the first fields
	count := func(_ int, fields []string) error {
		entries = append(entries, fields[0])
		if key := fields[0]; kind == Seller {
			if _, found := list.Seller(key, fields[1]); !found {
				t.Errorf("%s: seller %q is missing", format, fields)
			}
		} else if kind != Prefix && !list.Match(key) {
			t.Errorf("%s, %s: entry %q is missing", kind, format, key)
		}
		return nil
	}
	if format == CSV {
		err = filewatch.Records(strings.NewReader(text), 0, count)
	} else {
		err = filewatch.Lines(strings.NewReader(text), 0, func(n int, line []byte) error {
			if kind == Seller {
				return count(n, strings.Split(string(line), ","))
			}
			return count(n, []string{string(line)})
		})
	}
	if err != nil {
		t.Errorf("the text was read once, and then: %v", err)
	}
	if list.Len() > len(entries) {
		t.Errorf("%s, %s: %d entries from %d lines", kind, format, list.Len(), len(entries))
	}
	got := list.Match(value)
	if kind == Domain {
		if want := refOf(kind, entries).match(value); got != want {
			t.Errorf("%s, %s: Match(%q) = %v, want %v", kind, format, value, got, want)
		}
	}
}
