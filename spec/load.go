package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"strings"
)

// The files that Load reads.
const (
	openRTBFile  = "openrtb.json"
	nativeFile   = "native.json"
	listsFile    = "lists.json"
	openRTBNames = "names-openrtb.json"
	nativeNames  = "names-native.json"
	listNames    = "names-lists.json"
)

// Load reads the data from the root of fsys and checks that it is complete: every name and
// sentence is there, every reference leads somewhere, the counts are right. The error lists
// every problem, one per line, with what to change in which file.
func Load(fsys fs.FS) (*Data, error) {
	l := &loader{fsys: fsys}
	d := &Data{Lists: l.lists()}
	l.readWords()
	for _, load := range []func(){
		func() { d.OpenRTB = l.spec(openRTBFile, openRTBNames, d.Lists) },
		func() { d.Native = l.spec(nativeFile, nativeNames, d.Lists) },
		func() { l.rules(d.OpenRTB, &d.OpenRTB.Legend) },
		func() { l.rules(d.Native, &d.OpenRTB.Legend) },
		func() { l.unusedWords(d) },
	} {
		if !l.unreadable { // otherwise everything that refers to the file would be wrong as well
			load()
		}
	}
	if len(l.problems) > 0 {
		return nil, errors.New("spec: " + strings.Join(l.problems, "\nspec: "))
	}
	return d, nil
}

// Names files hold what the specification's tables do not: Go names and sentences.
type (
	objectNames struct {
		Go     string                `json:"go"`
		Family string                `json:"family"`
		Doc    string                `json:"doc"`
		Fields map[string]fieldNames `json:"fields"`
	}
	fieldNames struct {
		Go   string `json:"go"`
		Doc  string `json:"doc"`
		When string `json:"required_if"` // the field's required_if in words
	}
	listNamesOf struct {
		Go     string               `json:"go"`
		Doc    string               `json:"doc"`
		Values map[string]valueName `json:"values"`
	}
	valueName struct {
		Go  string `json:"go"`
		Doc string `json:"doc"`
	}
	// wordTables say in words what units and formats mean.
	wordTables struct {
		Units    map[string]string `json:"units"`
		Formats  map[string]string `json:"formats"`
		Expected map[string]string `json:"expected"` // a format, as findings word it
	}
)

type loader struct {
	fsys       fs.FS
	words      wordTables
	problems   []string
	unreadable bool
}

func (l *loader) problem(file, format string, args ...any) {
	l.problems = append(l.problems, file+": "+fmt.Sprintf(format, args...))
}

// read decodes a file. known refuses keys that v does not have, so that a misspelt key in a
// names file is not mistaken for a missing name.
func (l *loader) read(name string, v any, known bool) bool {
	data, err := fs.ReadFile(l.fsys, name)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		if known {
			d.DisallowUnknownFields()
		}
		err = d.Decode(v)
		var syntax *json.SyntaxError
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			err = fmt.Errorf("line %d: %w", lineOf(data, syntax.Offset), err)
		case errors.As(err, &typ):
			err = fmt.Errorf("line %d: %w", lineOf(data, typ.Offset), err)
		}
	}
	if err != nil {
		l.problem(name, "%v", err)
		l.unreadable = true
	}
	return err == nil
}

func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
}

// readWords reads the words for units and formats, which both specifications share.
func (l *loader) readWords() {
	var w struct {
		wordTables
		Objects json.RawMessage `json:"objects"`
	}
	l.read(openRTBNames, &w, true)
	l.words = w.wordTables
}

// goName checks a name that is about to be declared; taken holds those of the same scope.
func (l *loader) goName(file, at, name string, taken map[string]string) {
	switch other, dup := taken[name]; {
	case !token.IsIdentifier(name) || !token.IsExported(name):
		l.problem(file, `%s has the Go name %q: expected an exported identifier`, at, name)
	case dup:
		l.problem(file, "%s has the Go name %s, which %s has too", at, name, other)
	default:
		taken[name] = at
	}
}

// sentence checks the text that becomes a doc comment.
func (l *loader) sentence(file, at, doc string) {
	if doc == "" || !strings.HasSuffix(doc, ".") || strings.TrimSpace(doc) != doc {
		l.problem(file, "%s has the doc %q: expected sentences that end with a full stop", at, doc)
	}
}

// suggest makes a Go name of a JSON key: private_auction becomes PrivateAuction.
func suggest(key string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(key, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
