package strictyaml

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// jsonReader makes a tree of a JSON text. YAML's parser accepts most of JSON, but not its tabs.
type jsonReader struct {
	source  *setting.Source
	decoder *json.Decoder
	tree    *treeLimits
}

// looksLikeJSON reports whether a text is to be read as JSON: by its name, or because it is JSON.
func looksLikeJSON(s *setting.Source) bool {
	if strings.HasSuffix(s.Name, ".json") {
		return true
	}
	text := strings.TrimLeft(s.Text, " \t\r\n")
	return text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(s.Text))
}

// parseJSON reads a whole text. The tree is nil after a problem of syntax.
func parseJSON(s *setting.Source, tree *treeLimits) *setting.Node {
	if strings.TrimLeft(s.Text, " \t\r\n") == "" {
		return &setting.Node{Source: s, Nodes: 1}
	}
	r := &jsonReader{s, json.NewDecoder(strings.NewReader(s.Text)), tree}
	r.decoder.UseNumber()
	n, err := r.value(1)
	if err == nil {
		at := r.next()
		if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
			tree.add(s.Problem(at, 1, "", "text after the end of the JSON document"))
		}
		return n
	}
	if errors.Is(err, errLimit) {
		return nil
	}
	// The decoder's errors have several kinds of offsets; those of Unmarshal count the bytes that
	// were read.
	var syntax *json.SyntaxError
	var ignored json.RawMessage
	at, message := len(s.Text), "unexpected end of the JSON document"
	if errors.As(json.Unmarshal([]byte(s.Text), &ignored), &syntax) && !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at, message = max(int(syntax.Offset)-1, 0), "not JSON: "+syntax.Error()
	}
	tree.add(s.Problem(at, 1, "", "%s", message))
	return nil
}

// next returns the offset of the next token.
func (r *jsonReader) next() int {
	at := int(r.decoder.InputOffset())
	for at < len(r.source.Text) && strings.IndexByte(" \t\r\n,:", r.source.Text[at]) >= 0 {
		at++
	}
	return at
}

// value reads a value.
func (r *jsonReader) value(depth int) (*setting.Node, error) {
	n := &setting.Node{Source: r.source, Offset: r.next(), Nodes: 1}
	if !r.tree.enter(n, depth) {
		return nil, errLimit
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		n.Style, n.Text = setting.DoubleQuoted, v
	case json.Delim:
		if v == '{' {
			n.Kind = setting.Mapping
		} else {
			n.Kind = setting.Sequence
		}
		for r.decoder.More() {
			if err := r.element(n, depth); err != nil {
				return nil, err
			}
		}
		if _, err := r.decoder.Token(); err != nil {
			return nil, err
		}
	default: // a number, a boolean or null: as it is written
		n.Text = r.source.Text[n.Offset:r.decoder.InputOffset()]
	}
	if n.Kind == setting.Mapping {
		r.tree.unique(n)
	}
	return n, nil
}

// element reads an item of a sequence, or a member of a mapping.
func (r *jsonReader) element(n *setting.Node, depth int) error {
	var key *setting.Node
	if n.Kind == setting.Mapping {
		var err error
		if key, err = r.value(depth + 1); err != nil {
			return err
		}
	}
	value, err := r.value(depth + 1)
	if err != nil {
		return err
	}
	if n.Kind == setting.Mapping {
		n.Members = append(n.Members, setting.Member{Key: key, Value: value})
	} else {
		n.Items = append(n.Items, value)
	}
	return nil
}
