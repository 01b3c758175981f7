package strictyaml

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// ErrNotRegular is why a pipe or a device is not read.
var ErrNotRegular = errors.New("expected a regular file, found a pipe or a device")

// Load reads a file. The node is nil if it can't be read, or has a mistake after which the rest of
// it makes no sense.
func Load(name string) (*setting.Node, setting.Problems) {
	// A pipe would wait for its writer, and a configuration is read more than once.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, setting.Problems{unreadable(name, ErrNotRegular)}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, setting.Problems{unreadable(name, err)}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, SizeMax+1))
	if err != nil {
		return nil, setting.Problems{unreadable(name, err)}
	}
	return Parse(name, string(text))
}

func unreadable(name string, err error) setting.Problem {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err // the name is before the message
	}
	return setting.Problem{File: name, Message: "cannot read the file: " + err.Error()}
}

// Parse reads a text: JSON if the name ends in .json or the text is valid JSON, otherwise YAML.
// The name is for messages. An empty text is a scalar that is null.
func Parse(name, text string) (*setting.Node, setting.Problems) {
	t := &treeLimits{}
	s := setting.NewSource(name, strings.TrimPrefix(text, "\ufeff"))
	var root *setting.Node
	switch {
	case len(text) > SizeMax:
		t.problems = setting.Problems{{File: name, Message: tooLarge}}
	case !t.plainText(s):
	case looksLikeJSON(s):
		root = parseJSON(s, t)
	default:
		root = parseYAML(s, t)
	}
	if t.stopped {
		root = nil
	}
	return root, t.problems.Sort()
}

// treeLimits holds a tree against the limits while it is made, and collects problems.
type treeLimits struct {
	problems setting.Problems
	nodes    int
	stopped  bool // a limit was exceeded and reported
}

// errLimit stops a reader after a limit was reported.
var errLimit = errors.New("limit")

var tooLarge = "larger than " + itoa(SizeMax) + " bytes, the limit for a file"

func (t *treeLimits) add(p setting.Problem) {
	if len(t.problems) < setting.ProblemsMax {
		t.problems = append(t.problems, p)
	}
}

// enter counts a node. It is false if the node is beyond a limit; the first such node is a problem.
func (t *treeLimits) enter(n *setting.Node, depth int) bool {
	if depth > DepthMax {
		t.stop(n, "nested deeper than %d levels, the limit", DepthMax)
	}
	return t.count(n, 1)
}

func (t *treeLimits) count(n *setting.Node, nodes int) bool {
	if t.nodes += nodes; t.nodes > NodesMax {
		t.stop(n, "more than %d values and keys, the limit for a file (those that an alias repeats count again)", NodesMax)
	}
	return !t.stopped
}

func (t *treeLimits) stop(n *setting.Node, format string, args ...any) {
	if !t.stopped {
		t.add(n.Source.Problem(n.Offset, 1, "", format, args...))
	}
	t.stopped = true
}

// unique drops the members of a mapping whose key came before, with a problem for each, and
// counts the nodes of what remains.
func (t *treeLimits) unique(n *setting.Node) {
	seen := make(map[string]*setting.Node, len(n.Members))
	kept := n.Members[:0]
	for _, m := range n.Members {
		if first := seen[m.Key.Text]; first != nil {
			t.add(m.Key.Problem("", "duplicate key %s (first on line %d)", setting.Quote(m.Key.Text), first.Source.Line(first.Offset)+1))
			continue
		}
		seen[m.Key.Text] = m.Key
		kept = append(kept, m)
	}
	n.Members = kept
}

// plainText reports bytes that no configuration has: what is not UTF-8, and control characters.
// What comes after depends on their absence.
func (t *treeLimits) plainText(s *setting.Source) bool {
	for i := 0; i < len(s.Text); {
		r, size := utf8.DecodeRuneInString(s.Text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			t.add(s.Problem(i, 1, "", "not UTF-8"))
			return false
		case r == '\r' && !strings.HasPrefix(s.Text[i+1:], "\n"):
			t.add(s.Problem(i, 1, "", "a carriage return without a line feed"))
			return false
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', 0x7f <= r && r < 0xa0, r == '\ufeff', r == '\ufffe', r == '\uffff':
			t.add(s.Problem(i, size, "", "control character %U", r))
			return false
		}
		i += size
	}
	return true
}
