package supply

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/reload"
	"github.com/rtbwire/rtbwire/internal/canonical"
)

var errBundle = errors.New("expected the id of an app and the domain of its developer, such as com.example.app,example.com")

// parseBundles reads a CSV file with the id of an app in its store and the domain of its developer.
// A first line "bundle,domain" is skipped. One bad line refuses the file: it is the operator's own.
func parseBundles(r io.Reader, entriesMax int) (*table, reload.Result, error) {
	var b tableBuilder
	var name [canonical.DomainMax]byte
	lines := 0
	err := reload.Records(r, 0, func(line int, fields []string) error {
		lines++
		if len(fields) < 2 {
			return &reload.LineError{Line: line, Err: errBundle}
		}
		bundle := canonical.Bundle(fields[0])
		if lines == 1 && strings.EqualFold(bundle, "bundle") {
			return nil
		}
		domain, ok := hostName(&name, fields[1])
		if !ok || !strings.Contains(domain, ".") || !isSeller(bundle) {
			return &reload.LineError{Line: line, Err: errBundle}
		}
		if lines > entriesMax {
			return &reload.LineError{Line: line, Err: fmt.Errorf("the file has more than %d bundles", entriesMax)}
		}
		start := len(b.text)
		b.text = append(b.text, domain...)
		return b.add(sellerKey(bundle), start)
	})
	if err != nil {
		return nil, reload.Result{}, err
	}
	t := b.finish()
	return &t, reload.Result{Entries: len(t.keys)}, nil
}
