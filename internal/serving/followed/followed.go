// Package followed tells operators about the files that a service follows: lists, rates, databases,
// certificates, tokens. A file that can't be used changes nothing, so it would not be noticed: each
// one has metrics ([Collector]), a row on the page for operators ([Rows]), and a line in the log
// when something becomes of it ([Log]).
package followed

import (
	"cmp"
	"log/slog"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

const (
	// RowsMax is how many rows there are. Files that need attention are among the first.
	RowsMax = 100
	// textMax bounds an error, in bytes: a file of certificates can name a hundred.
	textMax = 1000
)

// Row is a file for people. Its order is that of the columns on the page.
type Row struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	Path string `json:"path"`
	// Entries are in use, Skipped were tolerated although they are bad.
	Entries int `json:"entries"`
	Skipped int `json:"skipped"`
	// Files and Refused are of a folder.
	Files   int `json:"files"`
	Refused int `json:"refused"`
	// Modified is how old the content is, Loaded when it was read.
	Modified time.Time `json:"modified,omitzero"`
	Loaded   time.Time `json:"loaded,omitzero"`
	Loads    uint64    `json:"loads"`
	Failures uint64    `json:"failures"`
	// Failed is when the last error was noticed first, also one that is over.
	Failed time.Time `json:"failed,omitzero"`
	// Old says that the content is older than it may be.
	Old bool `json:"old"`
	// Expires is when the first certificate ends, and Expiring that this is soon or was.
	Expires  time.Time `json:"expires,omitzero"`
	Expiring bool      `json:"expiring"`
	// Error is why the file as it is can't be used, "" if it is in use.
	Error string `json:"error,omitempty"`
	// Problem is what is wrong with a part that is left out: the first skipped entry, the first
	// refused file of a folder.
	Problem string `json:"problem,omitempty"`
}

// Rows returns the first [RowsMax] files: those that can't be used, then those that are too old or
// end soon, then the others, by kind and name.
func Rows(files []filewatch.Named, now time.Time) []Row {
	rows := []Row{}
	for i := range files {
		f := &files[i]
		rows = append(rows, Row{
			Kind: f.Kind, Name: f.Name, Path: f.Path, Entries: f.Entries, Skipped: f.Skipped, Files: f.Files, Refused: f.Refused,
			Modified: f.Modified, Loaded: f.LoadedAt, Loads: f.Loads, Failures: f.Failures, Failed: f.FailedAt, Old: f.Old(now), Expires: f.Expires, Expiring: f.Expiring(now), Error: text(f.Err),
			Problem: text(cmp.Or(f.Problem, f.SkippedFirst)),
		})
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.urgency(), b.urgency()) })
	return rows[:min(len(rows), RowsMax)]
}

func (r *Row) urgency() int {
	switch {
	case r.Error != "":
		return 0
	case r.Old, r.Expiring:
		return 1
	}
	return 2
}

// text returns a bounded text of an error, "" for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	all := err.Error()
	if len(all) <= textMax {
		return all
	}
	cut := textMax
	for !utf8.RuneStart(all[cut]) {
		cut--
	}
	return all[:cut] + "…"
}

// Log writes a line about a file that something has become of. The lines about the configuration
// are those of the program that puts it in use.
func Log(log *slog.Logger, f filewatch.Named) {
	if f.Kind == filewatch.KindConfiguration {
		return
	}
	about := []any{"kind", f.Kind, "name", f.Name, "path", f.Path, "entries", f.Entries}
	if !f.Modified.IsZero() {
		about = append(about, "modified", f.Modified.UTC().Format(time.RFC3339))
	}
	if f.Files > 0 {
		about = append(about, "files", f.Files)
	}
	switch {
	case f.Err != nil:
		log.Error("a file was not loaded again; its last good content stays in use", append(about, "error", text(f.Err))...)
	case f.Old(time.Now()):
		log.Warn("a file is older than it may be", append(about, "max age", f.MaxAge.String())...)
	case f.Refused > 0:
		log.Warn("a folder was loaded again without some of its files", append(about, "refused", f.Refused, "first", text(f.Problem))...)
	case f.Skipped > 0:
		log.Warn("a file was loaded again without some of its entries", append(about, "skipped", f.Skipped, "first", text(f.SkippedFirst))...)
	default:
		log.Info("a file was loaded again", about...)
	}
}
