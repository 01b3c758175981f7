package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/rerun"
)

// ranOn is what one machine makes of the articles' experiment: the runs of this one, or a line that
// somebody has sent in.
type ranOn struct {
	file *figures.File
	here bool
}

// readSent reads the lines that were sent in, by the names of their files. There may be none.
func readSent(folder string) (sent []*figures.File, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		f, err := figures.Read(path)
		if err != nil {
			return nil, err
		}
		for name := range f.Figures {
			if !slices.ContainsFunc(rerun.Columns, func(c rerun.Column) bool { return c.Figure == name }) {
				return nil, fmt.Errorf("%s: figure %s is none of a line of \"make bench-published ARGS=--row\"", path, name)
			}
		}
		sent = append(sent, f)
	}
	return sent, nil
}

// machines returns the table of what was said, of runs here, and of lines that were sent in.
func (p *Page) machines() string {
	b := new(strings.Builder)
	b.WriteString("\n## Rows from other machines\n\n")
	b.WriteString("The experiment of the first two articles on other machines: times as fast as encoding/json, the time byte by byte over that with " +
		"vectors, what ten goroutines save, and how many times as fast the arena is then. `make bench-published ARGS=--row` prints a line of " +
		"JSON in ten minutes; a file with that line in [lab/results/published](../results/published) is a row here.\n\n")
	head, said := []string{"machine", "cores", "Go"}, []string{"Apple M2 Pro, *as published*", "10 or 12", "go1.26.2"}
	for _, c := range rerun.Columns {
		text := ""
		if c.Said != 0 {
			text = form(c).value(c.Said, "")
		}
		head, said = append(head, c.Head), append(said, text)
	}
	fmt.Fprintf(b, "| %s |\n|%s\n| %s |\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)), strings.Join(said, " | "))
	all := p.Files
	if i := slices.IndexFunc(all, func(f *figures.File) bool { return f.Program == "published" }); i >= 0 {
		for _, f := range all[i].All() {
			fmt.Fprintf(b, "| %s |\n", strings.Join(ranOn{f, true}.cells(), " | "))
		}
	}
	for _, f := range p.Sent {
		fmt.Fprintf(b, "| %s |\n", strings.Join(ranOn{f, false}.cells(), " | "))
	}
	if p.Sent == nil {
		b.WriteString("\nNobody has sent one in yet.\n")
	}
	return b.String()
}

func form(c rerun.Column) Form {
	if c.Share {
		return Share
	}
	return Times
}

// cells are the cells of a row.
func (r ranOn) cells() []string {
	m := &r.file.Machine
	name := fmt.Sprintf("%s, %s/%s", m.Model(), m.OS, m.Arch)
	if r.here {
		name += ", *here*"
	}
	if r.file.Preliminary != nil {
		name += " \\*"
	}
	cells := []string{name, fmt.Sprint(m.Cores), m.Go}
	for _, c := range rerun.Columns {
		text := "not measured"
		if f, ok := r.file.Figures[c.Figure]; ok {
			text = form(c).figure(f)
		}
		cells = append(cells, text)
	}
	return cells
}

// with puts the figures of a run in place of those that are kept, and leaves the rows that are
// tested on one of them.
func with(list []Source, all figures.All, f *figures.File) ([]Source, figures.All) {
	all = maps.Clone(all)
	for name := range f.Figures {
		all[name] = f
	}
	var out []Source
	for _, s := range list {
		var rows []Row
		for _, r := range s.Rows {
			if slices.ContainsFunc(r.Tests, func(t Test) bool { return all[t.names()[0]] == f }) {
				rows = append(rows, r)
			}
		}
		if s.Rows = rows; rows != nil {
			out = append(out, s)
		}
	}
	return out, all
}
