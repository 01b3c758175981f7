package supply

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

var errBundle = errors.New("expected the id of an app and the domain of its developer, such as com.example.app,example.com")

// parseBundles reads a CSV file with the id of an app in its store and the domain of its developer.
// A first line "bundle,domain" is skipped. One bad line refuses the file: it is the operator's own.
func parseBundles(r io.Reader, entriesMax int) (*table, filewatch.Result, error) {
	var b tableBuilder
	var name [canonical.DomainMax]byte
	lines := 0
	err := filewatch.Records(r, 0, func(line int, fields []string) error {
		lines++
		if len(fields) < 2 {
			return &filewatch.LineError{Line: line, Err: errBundle}
		}
		bundle := canonical.Bundle(fields[0])
		if lines == 1 && strings.EqualFold(bundle, "bundle") {
			return nil
		}
		domain, ok := hostName(&name, fields[1])
		if !ok || !strings.Contains(domain, ".") || !isSeller(bundle) {
			return &filewatch.LineError{Line: line, Err: errBundle}
		}
		if lines > entriesMax {
			return &filewatch.LineError{Line: line, Err: fmt.Errorf("the file has more than %d bundles", entriesMax)}
		}
		start := len(b.text)
		b.text = append(b.text, domain...)
		return b.add(sellerKey(bundle), start)
	})
	if err != nil {
		return nil, filewatch.Result{}, err
	}
	t := b.finish()
	return &t, filewatch.Result{Entries: len(t.keys)}, nil
}
