package figures

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// About says where and when a run was, and why it should not be published, if so.
func (f *File) About() string {
	m := &f.Machine
	about := fmt.Sprintf("%s, %d cores, %s, commit %s, %s", m.CPU, m.Cores, m.Go, m.Commit, f.Taken.Format("2006-01-02"))
	if n := len(f.All()); n > 1 {
		about += fmt.Sprintf(", the last of %d runs", n)
	}
	about += "."
	if f.Preliminary != nil {
		about += " Preliminary: " + strings.Join(f.Preliminary, "; ") + "."
	}
	return about
}

// Insert writes a part of a page in place of the one before. The part is between a line with its
// name and the command that writes it, and a line that ends it.
func Insert(file, part, command, text string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if page, err = insert(page, part, command, text); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, page, 0o644)
}

func insert(page []byte, part, command, text string) ([]byte, error) {
	begin := fmt.Sprintf("<!-- lab: %s, written by %q -->\n", part, command)
	const end = "<!-- /lab -->"
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, fmt.Errorf("no place for the part %s: a line %q, and one %q", part, strings.TrimSpace(begin), end)
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte("\n" + strings.TrimSpace(text) + "\n\n"), []byte(end), after}, nil), nil
}
