package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
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
			if !slices.ContainsFunc(columns, func(c column) bool { return c.figure == name }) {
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
	b.WriteString("The experiments of the articles on other machines: times as fast as encoding/json, the time byte by byte over that with vectors, " +
		"what ten goroutines save, and how many times as fast the arena is then; and, where a thread on each core parses packets in C++, the time of a packet " +
		"over that with one thread. `make bench-published ARGS=--row` prints a line of JSON; a file with that line in " +
		"[lab/results/published](../results/published) is a row here.\n\n")
	head := []string{"machine", "cores", "Go"}
	said, manyCores := []string{"Apple M2 Pro, *as published*", "10 or 12", "go1.26.2"}, []string{"two Intel Xeon 4, *as published*", "96", ""}
	for _, c := range columns {
		text := ""
		if c.said != 0 {
			text = c.form().value(c.said, "")
		}
		head = append(head, c.head)
		if c.cores {
			said, manyCores = append(said, ""), append(manyCores, text)
		} else {
			said, manyCores = append(said, text), append(manyCores, "")
		}
	}
	fmt.Fprintf(b, "| %s |\n|%s\n| %s |\n| %s |\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)), strings.Join(said, " | "), strings.Join(manyCores, " | "))
	for _, f := range p.runsOf("published") {
		fmt.Fprintf(b, "| %s |\n", strings.Join(p.here(f).cells(), " | "))
	}
	for _, f := range p.Sent {
		fmt.Fprintf(b, "| %s |\n", strings.Join(ranOn{f, false}.cells(), " | "))
	}
	if p.Sent == nil {
		b.WriteString("\nNobody has sent one in yet.\n")
	}
	return b.String()
}

// runsOf returns the runs of a program.
func (p *Page) runsOf(program string) []*figures.File {
	i := slices.IndexFunc(p.Files, func(f *figures.File) bool { return f.Program == program })
	if i < 0 {
		return nil
	}
	return p.Files[i].All()
}

// here is a run of the articles' experiment here, with what the last comparison of C++ libraries on
// such a machine adds.
func (p *Page) here(f *figures.File) ranOn {
	both := *f
	for _, other := range p.runsOf("cpp") {
		if other.Machine.Model() == f.Machine.Model() {
			both.Figures = maps.Clone(both.Figures)
			maps.Copy(both.Figures, other.Figures)
		}
	}
	return ranOn{&both, true}
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
	for _, c := range columns {
		text := "not measured"
		if f, ok := r.file.Figures[c.figure]; ok {
			text = c.form().figure(f)
		}
		cells = append(cells, text)
	}
	return cells
}
