package check

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// rulesFileMax is the largest rules file that is read, in bytes. One with a line for every rule
// has a tenth of that.
const rulesFileMax = 1 << 20

// rulesFile is the content of a rules file:
//
//	preset: exchange
//	lenient: true
//	max-findings: 20
//	rules:
//	  Imp.id.required: off
//	  "Banner.*": info
//
// Rules are applied from top to bottom, so that a pattern can come before its exceptions.
type rulesFile struct {
	preset  schema.Preset
	options []schema.Option
}

// readRules reads a rules file. An error names the file and the line.
func readRules(name string) (*rulesFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, rulesFileMax+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the rules: %w", err)
	}
	if len(text) > rulesFileMax {
		return nil, fmt.Errorf("%s: larger than %d bytes; is it a rules file?", name, rulesFileMax)
	}
	c, err := parseRules(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return c, nil
}

// lineError is an error with a line of a file.
func lineError(n *strictyaml.Node, format string, args ...any) error {
	return fmt.Errorf("%d: "+format, append([]any{n.Problem("", "").Line}, args...)...)
}

// parseRules reads the text of a rules file. Errors begin with a line number.
func parseRules(text string) (*rulesFile, error) {
	root, problems := strictyaml.Parse("", text)
	if len(problems) > 0 {
		message, _, _ := strings.Cut(problems[0].Message, " (first on line")
		return nil, fmt.Errorf("%d: %s", max(problems[0].Line, 1), message)
	}
	c := &rulesFile{}
	if root.Kind == strictyaml.Scalar && root.Text == "" { // nothing, or nothing but comments
		return c, nil
	}
	return c, members(root, "a mapping with preset, rules, lenient or max-findings", func(key, value *strictyaml.Node) error {
		switch key.Text {
		case "preset":
			return c.setPreset(value)
		case "rules":
			return members(value, "a mapping from rules to severities", c.setRule)
		case "lenient":
			on, err := strconv.ParseBool(value.Text)
			if err != nil {
				return lineError(value, "lenient is %q (want true or false)", value.Text)
			}
			c.options = append(c.options, schema.WithLenient(on))
		case "max-findings":
			n, err := strconv.Atoi(value.Text)
			if err != nil || n < 1 {
				return lineError(value, "max-findings is %q (want a number, at least 1)", value.Text)
			}
			c.options = append(c.options, schema.WithMaxFindings(n))
		default:
			return lineError(key, "unknown key %q (want preset, rules, lenient or max-findings)", key.Text)
		}
		return nil
	})
}

// members calls f for every member of a mapping, in order.
func members(n *strictyaml.Node, what string, f func(key, value *strictyaml.Node) error) error {
	if n.Kind != strictyaml.Mapping {
		return lineError(n, "expected %s", what)
	}
	for _, m := range n.Members {
		if err := f(m.Key, m.Value); err != nil {
			return err
		}
	}
	return nil
}

func (c *rulesFile) setPreset(value *strictyaml.Node) error {
	c.preset = schema.Preset(value.Text)
	if _, err := schema.New(schema.WithPreset(c.preset)); err != nil {
		return lineError(value, "%s", plain(err))
	}
	return nil
}

func (c *rulesFile) setRule(key, value *strictyaml.Node) error {
	severity, err := schema.ParseSeverity(value.Text)
	if err != nil || value.Kind != strictyaml.Scalar {
		return lineError(value, "the severity of %s is %q (want off, info, warn or error)", key.Text, value.Text)
	}
	option := schema.WithSeverity(key.Text, severity)
	if _, err := schema.New(option); err != nil {
		return lineError(key, "%s", plain(err))
	}
	c.options = append(c.options, option)
	return nil
}

// plain returns an error's text without the name of the package it is from.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "schema: ") }
