package splice

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
)

// tree holds the elements of paths as nodes; the first node is the root. It also remembers where
// the values of nodes were in the object or array that is being read.
type tree struct {
	prefix string // the path of the root
	nodes  []pathNode
	names  map[nodeName]int // the children of nodes that have many
}

// nodeName is a child of a node.
type nodeName struct {
	parent int
	name   string
}

// manyChildren is from how many children on a node's are found by a map.
const manyChildren = 16

// pathNode is an element of one or more paths.
type pathNode struct {
	name        string
	index       int // name as an array index, -1 for a name
	children    int
	edited      bool   // an edit ends here, or for Find a path
	sets        bool   // an edit sets this or something below it
	value       []byte // what it sets
	child, next int    // indexes of nodes, 0 for none
	last        int    // the last child
	parent      int
	at, end     int  // the value in the document, if at is not 0
	visited     bool // the edits below are applied to it
}

// removed reports whether an edit removes the node's value.
func (n *pathNode) removed() bool { return n.edited && !n.sets }

// nodesKept is how many nodes, or spans, are worth their memory for the next document.
const nodesKept = 1024

// start begins an empty tree.
func (t *tree) start(prefix string) {
	t.prefix = prefix
	t.nodes = append(t.nodes[:0], pathNode{index: -1})
}

// reset ends the tree and makes its memory free for the next one.
func (t *tree) reset() {
	clear(t.nodes)
	if len(t.names) > 0 || cap(t.nodes) > nodesKept {
		t.names, t.nodes = nil, nil
	}
}

// nodeAt returns the node that a path leads to, made if need be, or -1 for a malformed path.
func (t *tree) nodeAt(path string) (node int) {
	if strings.Count(path, "/") > wire.DepthMax || !utf8.ValidString(path) {
		return -1
	}
	for path != "" {
		if path[0] != '/' {
			return -1
		}
		name := path[1:]
		if end := strings.IndexByte(name, '/'); end >= 0 {
			name = name[:end]
		}
		path = path[1+len(name):]
		name, ok := grammar.UnescapePointer(name)
		if !ok {
			return -1
		}
		node = t.childNamed(node, name)
	}
	return node
}

// badPath returns the error for a path that nodeAt refuses, or that is the whole document.
func badPath(path string) *wire.Error {
	want := "JSON Pointer"
	if path == "" {
		want = "path of a value in the document"
	}
	return &wire.Error{Code: wire.CodePath, Offset: -1, Path: path, Expected: want}
}

// childNamed returns the child of a node, made if need be.
func (t *tree) childNamed(node int, name string) int {
	if c := t.lookup(node, name); c != 0 {
		return c
	}
	c := len(t.nodes)
	t.nodes = append(t.nodes, pathNode{name: name, index: grammar.PointerIndex(name), parent: node})
	n := &t.nodes[node]
	if n.child == 0 {
		n.child = c
	} else {
		t.nodes[n.last].next = c
	}
	n.last = c
	if n.children++; n.children >= manyChildren {
		if t.names == nil {
			t.names = map[nodeName]int{}
		}
		if n.children == manyChildren {
			for c := n.child; c != 0; c = t.nodes[c].next {
				t.names[nodeName{node, t.nodes[c].name}] = c
			}
		}
		t.names[nodeName{node, name}] = c
	}
	return c
}

// lookup returns the child of a node with the name, 0 if it has none.
func (t *tree) lookup(node int, name string) int {
	if t.nodes[node].children >= manyChildren {
		return t.names[nodeName{node, name}]
	}
	for c := t.nodes[node].child; c != 0; c = t.nodes[c].next {
		if t.nodes[c].name == name {
			return c
		}
	}
	return 0
}

// begin forgets where the children of a node were in another value.
func (t *tree) begin(node int) {
	for c := t.nodes[node].child; c != 0; c = t.nodes[c].next {
		t.nodes[c].at, t.nodes[c].visited = 0, false
	}
}

// byIndex lists the children of a node that are indexes, in rising order.
func (t *tree) byIndex(list []int, node int) []int {
	for c := t.nodes[node].child; c != 0; c = t.nodes[c].next {
		if t.nodes[c].index >= 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return t.nodes[a].index - t.nodes[b].index })
	return list
}

// path renders the pointer of a node.
func (t *tree) path(n int) string {
	if n == 0 {
		return t.prefix
	}
	return t.path(t.nodes[n].parent) + "/" + grammar.EscapePointer(t.nodes[n].name)
}
