package overrides

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/wholefile"
)

// The file of state has a line of JSON for each entry, after one that says how many there are: a
// file that was cut is not taken for a shorter one.

// FileMax is how long a file of state may be, in bytes.
const FileMax = 4 << 20

// format is what the first line says.
const format = "overrides"

// header is the first line.
type header struct {
	RTBWire string `json:"rtbwire"`
	Version int    `json:"version"`
	Entries int    `json:"entries"`
}

// version is that of the format.
const version = 1

// encode returns the text of a file.
func encode(entries []Entry) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	_ = out.Encode(header{format, version, len(entries)}) // to memory
	for i := range entries {
		_ = out.Encode(&entries[i])
	}
	return b.Bytes()
}

// Check reads a file of state, and changes nothing. A file that is not there has no entries.
func Check(name string) error {
	_, _, err := read(name)
	return err
}

// read returns the text and the entries of a file; nil for one that is not there.
func read(name string) (text []byte, entries []Entry, err error) {
	text, err = load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err == nil {
		entries, err = decode(name, text)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the file of operators' changes can't be used: %w (repair it, or remove it to begin without changes)", err)
	}
	return text, entries, nil
}

func load(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe could make everybody wait
		return nil, &filewatch.Error{Path: name, Err: filewatch.ErrNotRegular}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, FileMax+1))
	if err == nil && len(text) > FileMax {
		err = &filewatch.Error{Path: name, Err: fmt.Errorf("more than %d bytes", FileMax)}
	}
	return text, err
}

// decode reads the text of a file.
func decode(name string, text []byte) (entries []Entry, err error) {
	line := 0
	fail := func(format string, args ...any) ([]Entry, error) {
		return nil, &filewatch.Error{Path: name, Line: max(line, 1), Err: fmt.Errorf(format, args...)}
	}
	var head header
	for own := range bytes.Lines(text) {
		line++
		if line == 1 {
			switch err := strict(own, &head); {
			case err != nil:
				return fail("%w", err)
			case head.RTBWire != format || head.Version != version:
				return fail("expected a line with \"rtbwire\": %q and \"version\": %d", format, version)
			case head.Entries < 0 || head.Entries > EntriesMax:
				return fail("%d entries (want at most %d)", head.Entries, EntriesMax)
			}
			continue
		}
		var e Entry
		if err := strict(own, &e); err != nil {
			return fail("%w", err)
		}
		if err := e.restored(); err != nil {
			return fail("%w", err)
		}
		for i := range entries {
			if entries[i].same(&e) {
				return fail("%s is there twice", e.String())
			}
		}
		if entries = append(entries, e); len(entries) > head.Entries {
			return fail("more entries than the %d of the first line", head.Entries)
		}
	}
	switch {
	case line == 0:
		return fail("the file is empty")
	case len(entries) < head.Entries:
		return fail("the file ends after %d of %d entries", len(entries), head.Entries)
	}
	return entries, nil
}

// strict reads a line of JSON. What has unknown members, or no line feed at its end, is an error.
func strict(line []byte, to any) error {
	if !bytes.HasSuffix(line, []byte("\n")) {
		return errors.New("the line is not complete")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("expected one JSON object")
	}
	return nil
}

// restored checks an entry that was written earlier.
func (e *Entry) restored() error {
	before := e.Name
	if err := e.complete(); err != nil {
		return err
	}
	switch span := e.Until.Sub(e.Since); {
	case e.Name != before:
		return fmt.Errorf("the name %q is not in the form that is compared, %q", shown(before), e.Name)
	case e.By == "" || len(e.By) > NameMax || !plain(e.By):
		return errors.New("expected \"by\" with the name of an operator")
	case e.Since.IsZero() || span < ForMin || span > ForMax:
		return fmt.Errorf("expected times from \"since\" to \"until\" that are %v to %v apart", ForMin, ForMax)
	}
	return nil
}

// errForeign means that two gateways share a file.
var errForeign = errors.New("another process has changed the file: each gateway needs one of its own")

// write replaces the file, if it is still as it was read or written last.
func write(name string, before, text []byte) error {
	now, err := load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // at first, or somebody has removed it
	case err != nil:
		return err
	case before == nil || !bytes.Equal(now, before):
		return &filewatch.Error{Path: name, Err: errForeign}
	}
	w, err := wholefile.Create(name)
	if err != nil {
		return err
	}
	defer w.Discard()
	if err := w.Private(); err != nil { // it has names of operators, and addresses
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Commit()
}
