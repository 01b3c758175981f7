package config

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// JSONSchema returns the JSON Schema (draft 2020-12) of configuration files, for editors. It does
// not say all that [Load] checks: which of two keys is needed, say, or what is in a condition. An
// included file may lack the version.
func JSONSchema() []byte {
	g := &schemaWriter{definitions: map[string]any{}}
	out := g.object(root().Shape)
	out["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out["title"] = "Configuration of rtbwire"
	out["$defs"] = g.definitions
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		panic(err) // maps, strings and numbers can be encoded
	}
	return b.Bytes()
}

// schemaWriter collects the definitions of objects.
type schemaWriter struct{ definitions map[string]any }

func (g *schemaWriter) shape(s *setting.Shape) map[string]any {
	switch s.Kind {
	case setting.ABool:
		return map[string]any{"type": "boolean"}
	case setting.AnInteger:
		out := map[string]any{"type": "integer", "minimum": int(s.Min)}
		if s.Max < math.MaxInt32 {
			out["maximum"] = int(s.Max)
		}
		return out
	case setting.ASize:
		return map[string]any{"anyOf": []any{
			map[string]any{"type": "integer", "minimum": int64(s.Min), "maximum": int64(s.Max)},
			map[string]any{"type": "string", "pattern": s.Pattern},
		}}
	case setting.ANumber:
		return map[string]any{"type": "number", "exclusiveMinimum": 0}
	case setting.AWord:
		return map[string]any{"enum": words(s)}
	case setting.AList:
		return map[string]any{"type": "array", "items": g.shape(s.Of)}
	case setting.AMap:
		return map[string]any{"type": "object", "propertyNames": g.shape(s.Name), "additionalProperties": g.shape(s.Of)}
	case setting.AnObject:
		if _, known := g.definitions[s.Object]; !known {
			g.definitions[s.Object] = nil // in the making
			g.definitions[s.Object] = g.object(s)
		}
		return map[string]any{"$ref": "#/$defs/" + s.Object}
	case setting.AChoice:
		var choices []any
		for _, c := range s.Choices {
			choices = append(choices, g.shape(c))
		}
		return map[string]any{"anyOf": choices}
	case setting.Anything:
		return map[string]any{"not": map[string]any{"type": "null"}}
	}
	out := map[string]any{"type": "string"}
	if s.Pattern != "" {
		out["pattern"] = s.Pattern
	}
	if s.Max > 0 {
		out["minLength"], out["maxLength"] = int(s.Min), int(s.Max)
	}
	return out
}

// words returns the values of an enumeration. One that looks like a number may be one.
func words(s *setting.Shape) (list []any) {
	for _, w := range s.Words {
		if n, err := strconv.Atoi(w); err == nil {
			list = append(list, n)
		}
		list = append(list, w)
	}
	return list
}

// object returns the schema of an object. A key refers to its shape, with what is said about it.
func (g *schemaWriter) object(s *setting.Shape) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, key := range s.Keys {
		property := g.shape(key.Shape)
		property["description"] = strings.ReplaceAll(key.Doc, "`", "")
		if key.Default != "" && key.Default != "{}" {
			property["default"] = defaultValue(key)
		}
		properties[key.Name] = property
		if key.Required {
			required = append(required, key.Name)
		}
	}
	out := map[string]any{
		"type": "object", "description": strings.ReplaceAll(s.Doc, "`", ""),
		"properties": properties, "additionalProperties": false,
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// defaultValue returns a default as JSON has it.
func defaultValue(key setting.Key) any {
	switch key.Shape.Kind {
	case setting.ABool, setting.AnInteger, setting.ANumber:
		return json.RawMessage(key.Default)
	case setting.ASize:
		if _, err := strconv.Atoi(key.Default); err == nil {
			return json.RawMessage(key.Default)
		}
	}
	return key.Default
}
