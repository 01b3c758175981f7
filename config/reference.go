package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// Reference returns docs/reference/configuration.md: what is said below, and a section for each
// table.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	w := &referenceWriter{b: &b, done: map[string]bool{}}
	w.object(root().Shape)
	fmt.Fprintf(&b, referenceEnvironment, EnvironmentPrefix)
	keys := environmentKeys()
	var names []string
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	b.WriteString("\n| variable | key |\n| --- | --- |\n")
	for _, name := range names {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", name, strings.Join(keys[name], "."))
	}
	b.WriteString(referenceServices)
	fmt.Fprintf(&b, referenceLimits,
		strictyaml.SizeMax, strictyaml.DepthMax, strictyaml.NodesMax, FilesMax, IncludeDepthMax,
		setting.ProblemsMax, setting.ProblemsPrintedMax, setting.ExcerptMax)
	return b.String()
}

const referenceHead = `# The configuration file

<!-- Written by go generate ./config from the table that reads the file. Do not edit. -->

One file says what rtbwire decides about requests. It is YAML, or JSON with the same keys:

` + "```yaml" + `
version: 1
schema: {preset: exchange, severities: {Imp.id.required: refuse, "*.deprecated": off}}
lists:
  blocked_domains: {kind: domain, file: lists/domains.txt}
rules:
  - name: blocked-site
    when: site.domain in lists.blocked_domains
    severity: refuse
    nbr: 7
scrub:
  - {when: regs.coppa == 1, remove: [/device/ifa, /user/id], truncate: [/device/ip, /device/geo]}
partners:
  exchange-a:
    match: {path: /exchange-a, mtls: a.example}
    publishers: {pub-123: {shadow: true}}
` + "```" + `

[examples/policy](../../examples/policy) has whole files. [configuration.schema.json](configuration.schema.json) is a JSON Schema for
editors; with the YAML language server, begin a file with

    # yaml-language-server: $schema=configuration.schema.json

## What is read

The file is read strictly. An unknown key, a key given twice, a value of another type are errors; all of them are reported at
once, with the place and where possible the right spelling:

    rtbwire.yaml:14:7: unknown key "wen" (did you mean "when"?)
      14 |       wen: site.domain == "x"
         |       ^^^

- YAML is that of version 1.2: ` + "`no`, `yes`, `on` and `off`" + ` are text. Where a boolean is wanted, write ` + "`true` or `false`" + `.
- Text that looks like a number, a boolean or null has to be quoted where text is wanted: ` + "`id: \"123\"`" + `. Keys need no quotes,
  unless they begin with ` + "`*`" + `. Numbers are decimal.
- Sizes are a number of bytes, or have a unit of 1024, 1024² or 1024³ bytes: ` + "`65536`, `64KiB`, `16MiB`, `1GiB`" + `. Flags and variables
  read them alike.
- CEL with ` + "`: `, ` #`" + ` or a quote at its beginning needs quotes of YAML, or a block after ` + "`|` or `>`" + `; inside
  ` + "`{ }` and `[ ]`" + `, commas, brackets and colons need them too.
- Anchors and aliases (` + "`&name`, `*name`" + `) can repeat a whole value. Tags, merge keys (` + "`<<`" + `), complex keys and a second document
  are errors.
- Names of files are relative to the file that they are in. Secrets are not in the file: it names variables and files.

**Layers.** The keys ` + "`severities`, `rules`, `scrub`, `shadow` and `sample`" + ` can be given for all requests, for a partner and for a
publisher of a partner, and so can ` + "`threshold` and `weights` of `fraud`" + `. Inner layers come later, and later settings win. [verdict.md](../verdict.md) says what severities, shadow
and sample mean.

**Severities** are ` + "`off`, `observe`, `warn` and `refuse`" + `. The words of the command ` + "`check`" + ` are accepted: ` + "`info`" + ` is observe, ` + "`warning`" + ` is
warn, ` + "`error`" + ` is refuse.
`

const referenceEnvironment = `
## Environment

Keys with one value that are outside lists and maps can be set by the environment, which wins over the file. The name of the
variable is ` + "`%s`" + ` and the path of the key in capitals. An empty variable counts as unset.
` + "`rtbwire serve` and `rtbwire stream`" + ` read these variables without a file, too.
`

const referenceServices = `
A variable with this prefix that has no key is an error, because it is probably misspelt. Exceptions are ` + "`RTBWIRE_CONFIG`" + `,
variables that the file names for secrets, and those that Kubernetes sets for a service called rtbwire
(` + "`RTBWIRE_SERVICE_HOST`, `RTBWIRE_PORT_8080_TCP`" + ` and so on).
`

const referenceLimits = `
## Limits of files

| of | limit |
| --- | --- |
| a file | %d bytes |
| nesting | %d levels |
| values and keys of a file, those that aliases repeat counted again | %d |
| files of a configuration | %d |
| files that include each other | %d deep |
| problems that are kept | %d |
| problems that are printed | %d |
| characters of a line in an excerpt | %d |
`

// referenceWriter writes the sections of objects, each once.
type referenceWriter struct {
	b    *strings.Builder
	done map[string]bool
}

func (w *referenceWriter) object(s *setting.Shape) {
	if w.done[s.Object] {
		return
	}
	w.done[s.Object] = true
	title := strings.ToUpper(s.Object[:1]) + s.Object[1:]
	fmt.Fprintf(w.b, "\n## %s\n\n%s\n\n| key | value | default | |\n| --- | --- | --- | --- |\n", title, s.Doc)
	var inner []*setting.Shape
	for _, key := range s.Keys {
		value := key.Default
		switch {
		case key.Required:
			value = "required"
		case value == "{}":
			value = ""
		case key.Shape.Kind == setting.ASize && value != "":
			value = "`" + sizeText(value) + "`"
		case value != "":
			value = "`" + value + "`"
		}
		doc := key.Doc
		if key.Example != "" {
			doc += " `" + key.Example + "`"
		}
		cell := strings.NewReplacer("|", `\|`)
		fmt.Fprintf(w.b, "| `%s` | %s | %s | %s |\n", key.Name, cell.Replace(valueOf(key.Shape)), value, cell.Replace(doc))
		inner = append(inner, objectsOf(key.Shape)...)
	}
	for _, o := range inner {
		w.object(o)
	}
}

// sizeText writes the default of a size with a unit.
func sizeText(otherwise string) string {
	n, ok := setting.ParseSize(otherwise)
	if !ok {
		panic("not a size: " + otherwise) // a mistake in a declaration
	}
	return setting.SizeText(n)
}

// objectsOf returns the objects in a shape.
func objectsOf(s *setting.Shape) []*setting.Shape {
	switch s.Kind {
	case setting.AnObject:
		return []*setting.Shape{s}
	case setting.AList, setting.AMap:
		return objectsOf(s.Of)
	case setting.AChoice:
		var all []*setting.Shape
		for _, c := range s.Choices {
			all = append(all, objectsOf(c)...)
		}
		return all
	}
	return nil
}

// valueOf describes the values of a shape.
func valueOf(s *setting.Shape) string {
	switch s.Kind {
	case setting.AWord:
		return "`" + strings.Join(s.Words, "`, `") + "`"
	case setting.AnInteger:
		if s.Max >= math.MaxInt32 {
			return fmt.Sprintf("%s, at least %d", s.What, int(s.Min))
		}
		return fmt.Sprintf("%s, %d to %d", s.What, int(s.Min), int(s.Max))
	case setting.ASize:
		return fmt.Sprintf("%s, %s to %s", s.What, setting.SizeText(int64(s.Min)), setting.SizeText(int64(s.Max)))
	case setting.AList:
		return "sequence of: " + valueOf(s.Of)
	case setting.AMap:
		return "mapping from " + s.Name.What + " to: " + valueOf(s.Of)
	case setting.AnObject:
		return "[" + s.Object + "](#" + s.Object + ")"
	case setting.AChoice:
		var choices []string
		for _, c := range s.Choices {
			choices = append(choices, valueOf(c))
		}
		return strings.Join(choices, "; or ")
	}
	return s.What
}
