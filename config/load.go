package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// The limits on included files.
const (
	// FilesMax is how many files a configuration may consist of.
	FilesMax = 1000
	// IncludeDepthMax is how deep files may include others.
	IncludeDepthMax = 8
)

// Options are what a configuration needs besides its files. The zero value is a useful one.
type Options struct {
	// Environ are environment variables as os.Environ returns them, which override the file:
	// RTBWIRE_SCHEMA_PRESET=strict. Default: none.
	Environ []string
	// Conditions compile the conditions. Default: they are not compiled, and not checked.
	Conditions Conditions
}

// Load reads a configuration file, the files that it includes, and what the environment overrides.
// The configuration is nil if there is a problem.
func Load(name string, o Options) (*Config, Problems) {
	l := newLoader(o)
	node, problems := strictyaml.Load(name)
	return l.config(name, node, problems)
}

// Parse is [Load] for a text. The name is for messages, and what is included is relative to it.
func Parse(name, text string, o Options) (*Config, Problems) {
	l := newLoader(o)
	node, problems := strictyaml.Parse(name, text)
	return l.config(name, node, problems)
}

// loader reads the files of a configuration.
type loader struct {
	options Options
	reader  setting.Reader
	files   []string          // as they were named
	seen    map[string]string // from absolute names to the names in files
	opening []string          // absolute names of the files that include the one that is read
}

func newLoader(o Options) *loader { return &loader{options: o, seen: map[string]string{}} }

// config makes a configuration of the main file.
func (l *loader) config(name string, node *setting.Node, problems setting.Problems) (*Config, Problems) {
	merged := l.file(name, node, problems)
	if merged == nil {
		return nil, l.problems()
	}
	l.override(merged)
	c, ok := root().Read(&l.reader, merged)
	if ok {
		c.Files, c.variables, c.followed = l.files, l.reader.Variables, l.reader.Files
		l.checkFraud(&c)
		for _, m := range setting.Modules() {
			if m.Check != nil {
				m.Check(&l.reader, &c.Scope)
			}
		}
		if l.options.Conditions != nil {
			for _, p := range c.Compile(l.options.Conditions) {
				l.reader.Report(p)
			}
		}
		l.checkEnvironment(&c)
	}
	if problems := l.problems(); len(problems) > 0 {
		return nil, problems
	}
	return &c, nil
}

// problems returns all problems, those of the main file first.
func (l *loader) problems() Problems { return l.reader.Problems().Sort(l.files...) }

// file adds what the files have that a file includes to its own content. It returns nil if the
// file could not be read.
func (l *loader) file(name string, node *setting.Node, problems setting.Problems) *setting.Node {
	for _, p := range problems {
		l.reader.Report(p)
	}
	absolute := absoluteName(name)
	l.files, l.seen[absolute] = append(l.files, name), name
	if node == nil {
		return nil
	}
	if node.Kind != setting.Mapping {
		l.reader.Report(node.Problem("", "expected a configuration, a mapping that begins with version: %d", Version))
		return nil
	}
	merged := *node
	merged.Members = slices.Clone(node.Members)
	l.opening = append(l.opening, absolute)
	l.include(&merged, node.Member("include"))
	l.opening = l.opening[:len(l.opening)-1]
	return &merged
}

// absoluteName identifies a file.
func absoluteName(name string) string {
	if absolute, err := filepath.Abs(name); err == nil {
		return absolute
	}
	return name
}

// includeText is a file to include. It is not yet relative to anything.
var includeText = setting.Text("the name of a file", pathMax)

// include reads the files of an include member.
func (l *loader) include(into *setting.Node, member *setting.Member) {
	if member == nil {
		return
	}
	patterns := member.Value.Items
	switch member.Value.Kind {
	case setting.Scalar:
		patterns = []*setting.Node{member.Value}
	case setting.Mapping:
		includes.Read(&l.reader, member.Value) // reports it
	}
	for _, pattern := range patterns {
		text, ok := includeText.Read(&l.reader, pattern)
		if !ok {
			continue
		}
		names, problem := l.matching(pattern, text)
		if problem != "" {
			l.reader.Report(pattern.Problem("", "%s", problem))
		}
		for _, name := range names {
			if problem := l.refuseInclude(name); problem != "" {
				l.reader.Report(pattern.Problem("", "%s", problem))
				continue
			}
			node, problems := strictyaml.Load(name)
			for i, p := range problems {
				if p.Line == 0 { // it can't be read: say who wants it
					problems[i] = pattern.Problem("", "%s", p.Summary())
				}
			}
			if node = l.file(name, node, problems); node != nil {
				l.checkVersion(node)
				l.merge(root().Shape, into, node)
			}
		}
	}
	// The decoder finds nothing left to report.
	into.Member("include").Value = &setting.Node{Kind: setting.Sequence, Source: member.Value.Source, Offset: member.Value.Offset}
}

// matching returns the files that a pattern matches, relative to the file that has it.
func (l *loader) matching(n *setting.Node, pattern string) (names []string, problem string) {
	full := pattern
	if !filepath.IsAbs(full) {
		full = filepath.Join(filepath.Dir(n.Source.Name), full)
	}
	if !strings.ContainsAny(pattern, `*?[`) {
		return []string{full}, ""
	}
	names, err := filepath.Glob(full)
	if err != nil {
		return nil, fmt.Sprintf("%s is not a pattern: * is any text, ? any character, [a-z] one of some", setting.Quote(pattern))
	}
	return names, ""
}

// refuseInclude says why a file can't be included, "" if it can.
func (l *loader) refuseInclude(name string) string {
	absolute := absoluteName(name)
	quoted := setting.Quote(name)
	switch {
	case slices.Contains(l.opening, absolute):
		return quoted + " includes itself"
	case l.seen[absolute] != "":
		return quoted + " is included twice"
	case len(l.files) >= FilesMax:
		return fmt.Sprintf("more than %d files, the limit for a configuration", FilesMax)
	case len(l.opening) > IncludeDepthMax:
		return fmt.Sprintf("files include each other more than %d deep, the limit", IncludeDepthMax)
	}
	return ""
}

// checkVersion holds the version of an included file, if it has one, against ours.
func (l *loader) checkVersion(n *setting.Node) {
	if v := n.Get("version"); v != nil {
		version.Read(&l.reader, v)
	}
}

// merge adds the members of a mapping to those of another file. Sequences are joined, mappings are
// merged; anything else must not be given twice.
func (l *loader) merge(shape *setting.Shape, into, from *setting.Node) {
	for _, m := range from.Members {
		if shape == root().Shape && (m.Key.Text == "include" || m.Key.Text == "version") {
			continue
		}
		first := into.Member(m.Key.Text)
		if first == nil {
			into.Members = append(into.Members, m)
			continue
		}
		kind := setting.Anything
		var inner *setting.Shape
		for _, key := range shape.Keys {
			if key.Name == m.Key.Text {
				inner, kind = key.Shape, key.Shape.Kind
			}
		}
		joined := *first.Value
		switch {
		case kind == setting.AList && joined.Kind == setting.Sequence && m.Value.Kind == setting.Sequence:
			joined.Items = slices.Concat(joined.Items, m.Value.Items)
		case (kind == setting.AMap || kind == setting.AnObject) && joined.Kind == setting.Mapping && m.Value.Kind == setting.Mapping:
			joined.Members = slices.Clone(joined.Members)
			l.merge(inner, &joined, m.Value)
		default:
			at := setting.PlaceOf(first.Key)
			l.reader.Report(m.Key.Problem("", "%s is given in two files (first in %s, line %d)", setting.Quote(m.Key.Text), at.File, at.Line))
		}
		first.Value = &joined
	}
}
