package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rtbwire/rtbwire/inspect/schema"
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
	c, err := parseRules(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	return c, nil
}

// lineError is an error with a line of a file.
func lineError(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%d: "+format, append([]any{n.Line}, args...)...)
}

// parseRules reads the text of a rules file. Errors begin with a line number.
func parseRules(text []byte) (*rulesFile, error) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	c := &rulesFile{}
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF): // nothing, or nothing but comments
		return c, nil
	case err != nil:
		return nil, errors.New(yamlMessage(err))
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, lineError(&second, "a second YAML document begins here; put everything into one")
	case !errors.Is(err, io.EOF):
		return nil, errors.New(yamlMessage(err))
	}
	return c, members(document.Content[0], "a mapping with preset, rules, lenient or max-findings", func(key, value *yaml.Node) error {
		switch key.Value {
		case "preset":
			return c.setPreset(value)
		case "rules":
			return members(value, "a mapping from rules to severities", c.setRule)
		case "lenient":
			on, err := strconv.ParseBool(value.Value)
			if err != nil {
				return lineError(value, "lenient is %q (want true or false)", value.Value)
			}
			c.options = append(c.options, schema.WithLenient(on))
		case "max-findings":
			n, err := strconv.Atoi(value.Value)
			if err != nil || n < 1 {
				return lineError(value, "max-findings is %q (want a number, at least 1)", value.Value)
			}
			c.options = append(c.options, schema.WithMaxFindings(n))
		default:
			return lineError(key, "unknown key %q (want preset, rules, lenient or max-findings)", key.Value)
		}
		return nil
	})
}

// members calls f for every member of a mapping, in order.
func members(n *yaml.Node, what string, f func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return lineError(n, "expected %s", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return lineError(key, "expected a name; quote names that begin with *")
		}
		if seen[key.Value] {
			return lineError(key, "duplicate key %q", key.Value)
		}
		seen[key.Value] = true
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}

func (c *rulesFile) setPreset(value *yaml.Node) error {
	c.preset = schema.Preset(value.Value)
	if _, err := schema.New(schema.WithPreset(c.preset)); err != nil {
		return lineError(value, "%s", plain(err))
	}
	return nil
}

func (c *rulesFile) setRule(key, value *yaml.Node) error {
	severity, err := schema.ParseSeverity(value.Value)
	if err != nil || value.Kind != yaml.ScalarNode {
		return lineError(value, "the severity of %s is %q (want off, info, warn or error)", key.Value, value.Value)
	}
	option := schema.WithSeverity(key.Value, severity)
	if _, err := schema.New(option); err != nil {
		return lineError(key, "%s", plain(err))
	}
	c.options = append(c.options, option)
	return nil
}

// plain returns an error's text without the name of the package it is from.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "schema: ") }

// yamlMessage turns "yaml: line 3: reason" into "3: reason".
func yamlMessage(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, found := strings.CutPrefix(text, "line "); found {
		return rest
	}
	return "1: " + text
}
