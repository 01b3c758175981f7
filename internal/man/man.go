// Package man writes manual pages from the help texts and the flags of a program.
package man

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/internal/version"
)

// section is that of programs.
const section = "1"

// Page is the manual page of a program or of one of its verbs.
type Page struct {
	Command  string // "rtbwire policy test"; the page is called rtbwire-policy-test
	Summary  string // one line
	Usage    string // "rtbwire policy test [flags] FILE CASES..."
	Text     string // what it does, as the help text says it: paragraphs, and indented lines
	Commands []Verb // the verbs, if it has any
	Flags    *pflag.FlagSet
	Examples string   // indented command lines with comments
	SeeAlso  []string // commands
}

// Verb is a row of the list of verbs.
type Verb struct{ Command, Summary string }

// FileName returns the name of the file that the page belongs in.
func (p *Page) FileName() string { return pageName(p.Command) + "." + section }

func pageName(command string) string { return strings.ReplaceAll(command, " ", "-") }

// Write writes the page in the macros that every man(1) has. The same build writes the same text:
// the date is that of its commit.
func (p *Page) Write(w io.Writer) error {
	var b strings.Builder
	build := version.Read()
	date, _, _ := strings.Cut(build.CommitTime, "T")
	program, _, _ := strings.Cut(p.Command, " ")
	fmt.Fprintf(&b, ".TH %s %s %s %s\n", argument(strings.ToUpper(pageName(p.Command))), argument(section), `"`+date+`"`, argument(program+" "+build.String()))
	// Lines are not filled up to the right margin, words are not broken.
	b.WriteString(".nh\n.ad l\n")
	head(&b, "NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", escape(pageName(p.Command)), escape(p.Summary))
	head(&b, "SYNOPSIS")
	fmt.Fprintf(&b, "\\fB%s\\fR%s\n", escape(p.Command), escape(strings.TrimPrefix(p.Usage, p.Command)))
	head(&b, "DESCRIPTION")
	text(&b, p.Text)
	if len(p.Commands) > 0 {
		head(&b, "COMMANDS")
		for _, c := range p.Commands {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", reference(c.Command), escape(c.Summary))
		}
	}
	if p.Flags != nil && p.Flags.HasAvailableFlags() {
		head(&b, "OPTIONS")
		p.Flags.VisitAll(func(f *pflag.Flag) { option(&b, f) })
	}
	if p.Examples != "" {
		head(&b, "EXAMPLES")
		text(&b, p.Examples)
	}
	if len(p.SeeAlso) > 0 {
		head(&b, "SEE ALSO")
		for i, command := range p.SeeAlso {
			comma := ","
			if i == len(p.SeeAlso)-1 {
				comma = ""
			}
			fmt.Fprintf(&b, "%s%s\n", reference(command), comma)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func head(b *strings.Builder, title string) { fmt.Fprintf(b, ".SH %s\n", title) }

// reference names the page of a command.
func reference(command string) string {
	return fmt.Sprintf("\\fB%s\\fR(%s)", escape(pageName(command)), section)
}

// option writes a flag as the help text has it: names, value, usage, default.
func option(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	name := "\\fB" + escape("--"+f.Name) + "\\fR"
	if f.Shorthand != "" {
		name = "\\fB" + escape("-"+f.Shorthand) + "\\fR, " + name
	}
	value, usage := pflag.UnquoteUsage(f)
	if value != "" {
		name += " \\fI" + escape(value) + "\\fR"
	}
	if !isZero(f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", name, escape(strings.Join(strings.Fields(usage), " ")))
}

// isZero reports whether a default is that of a flag without one.
func isZero(value string) bool {
	switch value {
	case "", "0", "0s", "false", "[]":
		return true
	}
	return false
}

// text writes paragraphs. Indented lines are kept as they are: they are examples and lists.
func text(b *strings.Builder, source string) {
	kept := false
	keep := func(on bool) {
		if on && !kept {
			b.WriteString(".RS 2\n.nf\n")
		} else if !on && kept {
			b.WriteString(".fi\n.RE\n")
		}
		kept = on
	}
	paragraph := true // whether the next line begins one
	first := true     // it does by itself, after a title
	for line := range strings.SplitSeq(strings.TrimRight(source, "\n"), "\n") {
		if line == "" {
			paragraph = true
			continue
		}
		indented := strings.HasPrefix(line, "  ")
		if paragraph || indented != kept {
			keep(false)
			if !first {
				b.WriteString(".PP\n")
			}
		}
		keep(indented)
		b.WriteString(escape(strings.TrimPrefix(line, "  ")) + "\n")
		paragraph, first = false, false
	}
	keep(false)
}

// escapes are the characters that are others, or commands, in the language of manual pages.
var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, `"`, `\(dq`)

// escape returns a line of text. One that begins with a dot would be a command.
func escape(line string) string {
	line = escapes.Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}

// argument returns an argument of a macro.
func argument(word string) string { return `"` + escape(word) + `"` }
