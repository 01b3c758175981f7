package policy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/spec"
)

// eachField calls a function with every field that a request can have: the JSON around the place
// of its value, and the expression that reads it.
func eachField(visit func(o *spec.Object, f *spec.Field, before, after, path string)) {
	s := spec.OpenRTB()
	seen := map[string]bool{}
	var walk func(name, before, after, path string)
	walk = func(name, before, after, path string) {
		o := s.Object(name)
		if o == nil || seen[path] || strings.Count(path, ".") > 4 {
			return
		}
		seen[path] = true
		for _, f := range o.Fields {
			next := f.JSON
			if path != "" {
				next = path + "." + f.JSON
			}
			start := fmt.Sprintf(`%s{%q:`, before, f.JSON)
			visit(o, f, start, "}"+after, next)
			if f.ObjectName() != "" {
				if f.Array {
					walk(f.ObjectName(), start+"[", "]}"+after, next+"[0]")
				} else {
					walk(f.ObjectName(), start, "}"+after, next)
				}
			}
		}
	}
	walk("BidRequest", "", "", "")
}

// TestModel sets every field that the data has in a request, and reads it in a condition.
func TestModel(t *testing.T) {
	e := testEnv(t)
	fields, owners := 0, map[string]bool{}
	eachField(func(o *spec.Object, f *spec.Field, before, after, path string) {
		values := map[string][2]string{
			"integer": {"7", path + " == 7"}, "float": {"2.5", path + " == 2.5"}, "string": {`"x"`, path + ` == "x"`},
			"ext": {`{"k":"v"}`, path + `.k == "v"`},
		}
		v, ok := values[f.Type]
		if !ok {
			v = [2]string{"{}", "has(" + path + ")"}
		}
		if path == "user.consent" { // other texts are no consent
			v = [2]string{strconv.Quote(tcf), path + " == " + strconv.Quote(tcf)}
		}
		if f.Array {
			v[0] = "[" + v[0] + "]"
			if f.ObjectName() != "" {
				v[1] = path + ".size() == 1"
			} else {
				v[1] = strings.Replace(v[1], path, path+"[0]", 1) + " && " + path + ".size() == 1 && " + path + ".exists(x, x == " + strings.Trim(v[0], "[]") + ")"
			}
		}
		fields++
		owners[o.Name] = true
		d, issues := e.Compile(v[1] + " && has(" + path + ")")
		if issues != nil {
			t.Errorf("%s: %v", v[1], issues)
			return
		}
		in := input(t, before+v[0]+after)
		if holds, err := d.Holds(in); !holds || err != nil {
			t.Errorf("%s: %v, %v on %s", d, holds, err, before+v[0]+after)
		}
		in = &rule.Input{Request: &noRequest, Facts: &rule.Facts{}, Scratch: &rule.Scratch{}}
		if holds, err := d.Holds(in); holds || err != nil && !strings.Contains(path, "[0]") && !f.Array {
			t.Errorf("%s: %v, %v on nothing", d, holds, err)
		}
	})
	if len(owners) != int(objectsOfRequest) {
		t.Errorf("%d objects, want %d", len(owners), objectsOfRequest)
	}
	t.Logf("%d fields of %d objects", fields, len(owners))
}

// TestShortcuts checks that there is a shortcut only where a field of that kind is.
func TestShortcuts(t *testing.T) {
	for path, s := range shortcuts {
		o, name := &objects[objBidRequest], path
		if before, after, ok := strings.Cut(path, "."); ok {
			o, name = &objects[o.field(before).object], after
		}
		f := o.field(name)
		if f == nil || f.list {
			t.Errorf("%s is a list, or nothing", path)
			continue
		}
		has := map[kind]bool{kindInt: s.i != nil, kindDouble: s.f != nil, kindString: s.s != nil, kindObject: s.o != nil}
		n := 0
		for k, is := range has {
			if is {
				n++
			}
			if is != (k == f.kind) {
				t.Errorf("%s: a shortcut of kind %d, the field is %d", path, k, f.kind)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d accessors", path, n)
		}
	}
}
