package strictyaml

import (
	"errors"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/rtbwire/rtbwire/internal/setting"
)

func itoa(n int) string { return strconv.Itoa(n) }

const secondDocument = "a second YAML document begins here; put everything into one"

// yamlReader makes a tree of a YAML text.
type yamlReader struct {
	source  *setting.Source
	tree    *treeLimits
	anchors map[string]*setting.Node
	cursor  int // no later node begins before it
}

// parseYAML reads a whole text. The tree is nil after a problem of syntax.
func parseYAML(s *setting.Source, tree *treeLimits) (root *setting.Node) {
	r := &yamlReader{source: s, tree: tree, anchors: map[string]*setting.Node{}}
	defer func() {
		// The parser is third-party code, and has panicked on unusual texts.
		if p := recover(); p != nil {
			tree.add(s.Problem(r.cursor, 1, "", "not YAML that can be read"))
			root = nil
		}
	}()
	tokens := lexer.Tokenize(s.Text)
	if !r.checkTokens(tokens) {
		return nil
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	if len(bodies) == 0 {
		return &setting.Node{Source: s, Nodes: 1}
	}
	root = r.node(bodies[0], 1)
	if len(bodies) > 1 {
		tree.add(s.Problem(r.offset(bodies[1].GetToken()), 1, "", "%s", secondDocument))
	}
	return root
}

// syntax reports an error of the parser.
func (r *yamlReader) syntax(err error) {
	var e interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &e) { // the text of others is not for people, and has caused panics
		r.tree.add(r.source.Problem(r.cursor, 1, "", "not YAML that can be read"))
		return
	}
	message := e.GetMessage()
	switch {
	case strings.Contains(message, "mapping value is not allowed"), strings.Contains(message, "value is not allowed in this context"):
		message += `; text with ": " or a special character at its beginning needs quotes`
	case strings.Contains(message, `'\t'`), strings.Contains(message, "'\t'"):
		message = "a tab can't begin a line; indent with spaces"
	case strings.Contains(message, "reserved character"):
		message += "; quote the text"
	}
	r.tree.add(r.source.Problem(r.offset(e.GetToken()), 1, "", "not YAML: %s", setting.Escape([]rune(message))))
}

// checkTokens reports what is not read at all, before the parser sees it: the parser is recursive,
// and slow or wrong on some of this.
func (r *yamlReader) checkTokens(tokens token.Tokens) bool {
	before := len(r.tree.problems)
	refuse := func(t *token.Token, format string, args ...any) {
		if len(r.tree.problems) >= setting.ProblemsMax { // finding a place takes time
			return
		}
		r.tree.add(r.source.Problem(r.offset(t), 1, "", format, args...))
	}
	var levels []int
	flow, scalars, directives := 0, 0, 0
	var previous, beforeThat *token.Token
	for _, t := range tokens {
		column := 0
		switch t.Type {
		case token.CommentType:
			continue
		case token.TagType:
			refuse(t, "tags (%s) are not read; write a string in quotes, and nothing before other values", setting.Quote(t.Value))
		case token.DirectiveType:
			directives++
			refuse(t, "directives (%%) are not read")
		case token.MappingKeyType:
			refuse(t, "complex keys (?) are not read")
		case token.MergeKeyType:
			refuse(t, "merge keys (<<) are not read; an alias can be a whole value")
		case token.DocumentHeaderType:
			if previous != nil && directives == 0 {
				refuse(t, "%s", secondDocument)
			}
		case token.AnchorType:
			if beforeThat != nil && beforeThat.Type == token.AnchorType { // between them is its name
				refuse(t, "two anchors for one value")
			}
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(flow-1, 0)
		case token.SequenceEntryType:
			column = 2*t.Position.Column + 1
		case token.MappingValueType:
			if previous != nil {
				column = 2 * previous.Position.Column
			}
		case token.CollectEntryType, token.DocumentEndType, token.AliasType:
		default:
			scalars++
		}
		if column > 0 && flow == 0 {
			for len(levels) > 0 && levels[len(levels)-1] >= column {
				levels = levels[:len(levels)-1]
			}
			levels = append(levels, column)
		}
		if len(levels)+flow > DepthMax {
			refuse(t, "nested deeper than %d levels, the limit", DepthMax)
			return false
		}
		if scalars > NodesMax {
			refuse(t, "more than %d values and keys, the limit for a file", NodesMax)
			return false
		}
		previous, beforeThat = t, previous
	}
	return len(r.tree.problems) == before
}

// node makes a node of the parser's tree.
func (r *yamlReader) node(in ast.Node, depth int) *setting.Node {
	n := &setting.Node{Source: r.source, Nodes: 1}
	if in == nil { // the parser leaves out some empty values
		n.Offset = r.cursor
		return n
	}
	switch in := in.(type) {
	case *ast.AnchorNode:
		r.offset(in.GetToken())
		n = r.node(in.Value, depth)
		if name := in.Name; name != nil && n != nil {
			r.anchors[name.GetToken().Value] = n
		}
		return n
	case *ast.AliasNode:
		return r.alias(in, depth)
	}
	begin := in.GetToken()
	switch in := in.(type) {
	case *ast.MappingNode:
		if !in.IsFlowStyle && len(in.Values) > 0 { // the parser places it at the first colon
			begin = in.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		begin = in.Key.GetToken()
	}
	n.Offset = r.offset(begin)
	switch in := in.(type) {
	case *ast.MappingNode:
		r.members(n, in.Values, depth)
	case *ast.MappingValueNode:
		r.members(n, []*ast.MappingValueNode{in}, depth)
	case *ast.SequenceNode:
		n.Kind = setting.Sequence
		if !r.tree.enter(n, depth) {
			return n
		}
		for _, item := range in.Values {
			if v := r.node(item, depth+1); v != nil {
				n.Items = append(n.Items, v)
				n.Nodes += v.Nodes
			}
		}
	case *ast.LiteralNode:
		n.Style = setting.Literal
		if in.Start.Type == token.FoldedType {
			n.Style = setting.Folded
		}
		n.Text = in.Value.Value
		r.tree.enter(n, depth)
	default:
		t := in.GetToken()
		n.Text = t.Value
		switch t.Type {
		case token.SingleQuoteType:
			n.Style = setting.SingleQuoted
		case token.DoubleQuoteType:
			n.Style = setting.DoubleQuoted
		case token.ImplicitNullType:
			n.Text = ""
		}
		r.tree.enter(n, depth)
	}
	return n
}

// members reads the members of a mapping.
func (r *yamlReader) members(n *setting.Node, values []*ast.MappingValueNode, depth int) {
	n.Kind = setting.Mapping
	if !r.tree.enter(n, depth) {
		return
	}
	cut := false
	for _, v := range values {
		key := r.node(v.Key, depth+1)
		value := r.node(v.Value, depth+1)
		if key == nil || value == nil {
			continue
		}
		if v.Start != nil && v.Start.Type != token.MappingValueType { // no colon
			if !cut { // one text can have several commas
				r.tree.add(key.Problem("", "a key without a value; text with a comma needs quotes inside { }"))
			}
			cut = true
			continue
		}
		cut = false
		if key.Kind != setting.Scalar {
			r.tree.add(key.Problem("", "expected a key, found %s", key.Describe()))
			continue
		}
		n.Members = append(n.Members, setting.Member{Key: key, Value: value})
		n.Nodes += key.Nodes + value.Nodes
	}
	r.tree.unique(n)
}

// alias returns the node that an alias stands for, nil after a problem.
func (r *yamlReader) alias(in *ast.AliasNode, depth int) *setting.Node {
	name := ""
	if in.Value != nil {
		name = in.Value.GetToken().Value
	}
	at := &setting.Node{Source: r.source, Offset: r.offset(in.GetToken())}
	n := r.anchors[name]
	if n == nil {
		hint := ""
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_-0123456789") != "" || name == "" {
			hint = "; text that begins with * needs quotes"
		}
		r.tree.add(r.source.Problem(at.Offset, 1+len(name), "", "no anchor &%s before this alias%s", setting.Escape([]rune(name)), hint))
		return nil
	}
	if depth+depthOf(n) > DepthMax+1 {
		r.tree.stop(at, "nested deeper than %d levels, the limit", DepthMax)
		return nil
	}
	if !r.tree.count(at, n.Nodes) {
		return nil
	}
	return n
}

// depthOf returns how many levels a node has.
func depthOf(n *setting.Node) int {
	most := 0
	for _, m := range n.Members {
		most = max(most, depthOf(m.Value))
	}
	for _, item := range n.Items {
		most = max(most, depthOf(item))
	}
	return most + 1
}

// offset returns where a token begins. The parser counts lines, columns and offsets, and each of
// them is wrong at times (after tabs, for one), so the text has to be there.
func (r *yamlReader) offset(t *token.Token) int {
	if t == nil || t.Position == nil {
		return r.cursor
	}
	text := r.source.Text
	begin := beginningOf(t)
	if at, ok := r.source.OffsetAt(t.Position.Line, t.Position.Column); ok && strings.HasPrefix(text[at:], begin) {
		if at >= r.cursor {
			r.cursor = at
		}
		return at
	}
	if i := strings.Index(text[r.cursor:], begin); i >= 0 {
		r.cursor += i
		return r.cursor
	}
	return r.cursor
}

// beginningOf returns how a token begins in the text.
func beginningOf(t *token.Token) string {
	switch t.Type {
	case token.SingleQuoteType:
		return "'"
	case token.DoubleQuoteType:
		return `"`
	case token.ImplicitNullType:
		return ""
	}
	begin, _, _ := strings.Cut(t.Value, "\n")
	begin, _, _ = strings.Cut(begin, " ")
	return begin
}
