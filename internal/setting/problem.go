package setting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is a mistake in a configuration.
type Problem struct {
	// File is the name of the file, or of the environment variable.
	File string
	// Line and Column are the place from 1, the column in characters; Offset is the place from 0,
	// in bytes. They are 0 for a file that can't be read.
	Line, Column, Offset int
	// Message says what is wrong, on one line.
	Message string
	// Suggestion is what to write instead, empty where nothing comes to mind.
	Suggestion string
	// Excerpt is the line, and below it carets under the place.
	Excerpt string
}

// Summary returns place, message and suggestion on one line.
func (p Problem) Summary() string {
	var b strings.Builder
	b.WriteString(Escape([]rune(p.File)))
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": " + p.Message)
	switch {
	case strings.HasPrefix(p.Suggestion, `"`): // is text with quotes already
		fmt.Fprintf(&b, " (did you mean %s?)", p.Suggestion)
	case p.Suggestion != "":
		fmt.Fprintf(&b, " (did you mean %q?)", p.Suggestion)
	}
	return b.String()
}

// String returns the summary and the excerpt.
func (p Problem) String() string {
	if p.Excerpt == "" {
		return p.Summary()
	}
	return p.Summary() + "\n" + p.Excerpt
}

// ReportError adds a problem for each error that errors.Join has joined, without the name of the
// package that they are from.
func (r *Reader) ReportError(at Place, pkg string, err error) {
	if err == nil {
		return
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, err := range list {
		r.Report(at.Problem("", strings.TrimPrefix(err.Error(), pkg+": ")))
	}
}

// Problems are all mistakes of a configuration. They are an error if there is one; see
// [Problems.Err].
type Problems []Problem

// Error returns the problems with their excerpts, at most [ProblemsPrintedMax] of them.
func (p Problems) Error() string {
	var b strings.Builder
	for i, problem := range p {
		if i == ProblemsPrintedMax {
			fmt.Fprintf(&b, "\nand %d more", len(p)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(problem.String())
	}
	return b.String()
}

// Err returns the problems as an error, or nil.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Sort orders problems by their place: first those in the given files, then those in others, in the
// order in which they occur. It drops repetitions: what an alias repeats has its mistakes once.
func (p Problems) Sort(order ...string) Problems {
	files := map[string]int{}
	add := func(name string) {
		if _, known := files[name]; !known {
			files[name] = len(files)
		}
	}
	for _, name := range order {
		add(name)
	}
	for _, problem := range p {
		add(problem.File)
	}
	sorted := slices.Clone(p)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Offset, b.Offset))
	})
	return slices.Compact(sorted)
}
