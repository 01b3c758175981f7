package policytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// RequestMax is how long a request in a file of its own may be, in bytes.
const RequestMax = 16 << 20

// requestSource is how a case gives its request.
type requestSource struct {
	node *setting.Node // text or a mapping
	file *setting.Node // the name of a file
}

// readRequest makes the text of the request.
func (c *Case) readRequest(r *setting.Reader) {
	switch n := c.source.node; {
	case n != nil && c.source.file != nil: // was reported
	case c.source.file != nil:
		c.Request = requestFile(r, c.source.file)
	case n != nil && n.Kind == setting.Scalar:
		c.Request = []byte(n.Text)
	case n != nil:
		c.Request = appendJSON(r, nil, n)
	}
}

// requestFile reads a file, whose name is relative to the file that names it.
func requestFile(r *setting.Reader, n *setting.Node) []byte {
	name := n.Text
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(n.Source.Name), name)
	}
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		var body []byte
		if body, err = io.ReadAll(io.LimitReader(f, RequestMax+1)); err == nil && len(body) <= RequestMax {
			return body
		}
	}
	var path *os.PathError
	switch {
	case errors.As(err, &path):
		r.Report(n.Problem("", "cannot read the request: %v", path.Err))
	case err != nil:
		r.Report(n.Problem("", "cannot read the request: %v", err))
	default:
		r.Report(n.Problem("", "the request has more than %d bytes", RequestMax))
	}
	return nil
}

// appendJSON appends a node as JSON, its members in the order of the file.
func appendJSON(r *setting.Reader, to []byte, n *setting.Node) []byte {
	switch n.Kind {
	case setting.Mapping:
		to = append(to, '{')
		for i, m := range n.Members {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendString(to, m.Key.Text), ':')
			to = appendJSON(r, to, m.Value)
		}
		return append(to, '}')
	case setting.Sequence:
		to = append(to, '[')
		for i, item := range n.Items {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(r, to, item)
		}
		return append(to, ']')
	}
	switch v, ok := n.JSON(); v := v.(type) {
	case string:
		return appendString(to, v)
	default:
		switch {
		case ok: // a number or a boolean, as JSON writes it
			return append(to, n.Text...)
		case n.Style == setting.Plain && strings.EqualFold(n.Text, "null"):
			return append(to, "null"...)
		}
	}
	r.Report(n.Problem("", "JSON has no such value; write a JSON number, null, or text in quotes"))
	return to
}

func appendString(to []byte, text string) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // text can be encoded
	}
	return append(to, bytes.TrimSpace(b.Bytes())...)
}
