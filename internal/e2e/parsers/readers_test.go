package parsers

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// reader reads documents with one parser.
type reader struct {
	name string
	// cStrings says that it takes the first NUL for the end of a string.
	cStrings bool
	// lines returns a line for each document: the values at the places, or "refused".
	lines func(docs [][]byte) ([]string, error)
}

const refused = "refused"

// allReaders returns the readers in Go and the programs that this machine has. A folder in
// RTBWIRE_READERS, which scripts/parsers.sh fills, must have all of them.
func allReaders(t *testing.T) []reader {
	t.Helper()
	list := slices.Concat(inGo("go-map", goMap, json.Unmarshal), inGo("go-struct", goStruct, json.Unmarshal), version2)
	script := func(name string) string { return testkit.Path(t, "internal/e2e/parsers/readers/"+name) }
	folder := os.Getenv("RTBWIRE_READERS")
	add := func(name string, command ...string) {
		if _, err := exec.LookPath(command[0]); err != nil {
			if folder != "" {
				t.Fatalf("reader %s: %v", name, err)
			}
			t.Logf("reader %s is left out: %v", name, err)
			return
		}
		r := program(t, command)
		r.name = name
		r.cStrings = slices.Contains(command, cStrings)
		list = append(list, r)
	}
	add("python", "python3", script("read_json.py"))
	add("node", "node", script("read_json.mjs"))
	if folder == "" {
		t.Log("the readers in C++ and Java are left out: make verify STEPS=parsers runs them")
		return list
	}
	for _, library := range []string{"rapidjson", "nlohmann", "simdjson", "yyjson"} {
		name := filepath.Join(folder, "cpp", "read_"+library)
		add(library, name)
		add(library+"-c-strings", name, cStrings)
	}
	add("simdjson-ondemand", filepath.Join(folder, "cpp", "read_simdjson"), "--ondemand")
	add("jackson", "java", "-cp", filepath.Join(folder, "jackson")+":"+filepath.Join(folder, "jackson")+"/*", "ReadJackson")
	return list
}

const cStrings = "--c-strings"

// program starts a program that reads documents; readers/README.md has what it is given and writes.
func program(t *testing.T, command []string) reader {
	t.Helper()
	cmd := exec.Command(command[0], append(command[1:], pointers()...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // which ends it
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", command, err)
		}
	})
	lines := bufio.NewReaderSize(out, 1<<20)
	return reader{lines: func(docs [][]byte) ([]string, error) {
		sent := make(chan error, 1)
		go func() {
			w := bufio.NewWriterSize(in, 1<<16)
			for _, doc := range docs {
				_, _ = w.Write(binary.BigEndian.AppendUint32(nil, uint32(len(doc))))
				_, _ = w.Write(doc)
			}
			sent <- w.Flush() // which has the first error
		}()
		all := make([]string, len(docs))
		for i := range all {
			line, err := lines.ReadString('\n')
			if err != nil {
				return nil, fmt.Errorf("after %d of %d documents: %w", i, len(docs), err)
			}
			all[i] = strings.TrimSuffix(line, "\n")
		}
		return all, <-sent
	}}
}

// unmarshal is json.Unmarshal, of one of its versions.
type unmarshal func(text []byte, v any) error

// version2 are the readers by encoding/json/v2, where it is.
var version2 []reader

// inGo returns a reader in Go.
func inGo(name string, read func(doc []byte, decode unmarshal) ([]value, error), decode unmarshal) []reader {
	return []reader{{name: name, lines: func(docs [][]byte) ([]string, error) {
		all := make([]string, len(docs))
		for i, doc := range docs {
			values, err := read(doc, decode)
			if err != nil {
				all[i] = refused
				continue
			}
			all[i] = lineOf(values)
		}
		return all, nil
	}}}
}

func lineOf(values []value) string {
	cells := make([]string, len(values))
	for i := range values {
		cells[i] = values[i].String()
	}
	return strings.Join(cells, "\t")
}

// goMap reads into maps.
func goMap(doc []byte, decode unmarshal) ([]value, error) {
	var root any
	if err := decode(doc, &root); err != nil {
		return nil, err
	}
	all := make([]value, len(places))
	for i, p := range places {
		all[i] = within(root, p.segments)
	}
	return all, nil
}

// goStruct reads into the types of package openrtb, and from ext into structs
// with the fields that are looked for.
func goStruct(doc []byte, decode unmarshal) ([]value, error) {
	r := new(openrtb.BidRequest)
	if err := decode(doc, r); err != nil {
		return nil, err
	}
	var failed error
	all := read(r, func(raw json.RawMessage, _ *place, rest []string) value {
		for len(rest) > 0 && len(raw) > 0 {
			if raw[0] == '[' {
				var list []json.RawMessage
				failed = errors.Join(failed, decode(raw, &list))
				if i, err := strconv.Atoi(rest[0]); err == nil && i < len(list) {
					raw = list[i]
				} else {
					raw = nil
				}
			} else {
				raw = fieldIn(raw, rest[0], decode)
			}
			rest = rest[1:]
		}
		var v any
		if len(raw) > 0 {
			failed = errors.Join(failed, decode(raw, &v))
		}
		return shown(v, false)
	})
	return all, failed
}

// fieldIn decodes an object into a struct with one field.
func fieldIn(object json.RawMessage, name string, decode unmarshal) json.RawMessage {
	field := reflect.StructField{Name: "Field", Type: rawType, Tag: reflect.StructTag(fmt.Sprintf("json:%q", name))}
	v := reflect.New(reflect.StructOf([]reflect.StructField{field}))
	if decode(object, v.Interface()) != nil {
		return nil // of another type
	}
	return v.Elem().Field(0).Bytes()
}

// within follows a pointer through values of encoding/json.
func within(v any, segments []string) value {
	for _, s := range segments {
		switch in := v.(type) {
		case map[string]any:
			v = in[s]
		case []any:
			i, err := strconv.Atoi(s)
			if err != nil || i >= len(in) {
				return absent
			}
			v = in[i]
		default:
			return absent
		}
	}
	return shown(v, false)
}

func shown(v any, nested bool) value {
	switch v := v.(type) {
	case string:
		return stringValue(v)
	case float64:
		return floatValue(v)
	case bool:
		return boolValue(v)
	case map[string]any:
		return value{kind: '{'}
	case []any:
		list := value{kind: '['}
		for _, e := range v {
			if !nested {
				list.list = append(list.list, shown(e, true))
			}
		}
		return list
	}
	return absent
}
