package main

import (
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

const modelDir = "inspect/policy/condition/"

// model writes the objects of a request as conditions see them: the name, kind and accessors of
// each field. A field that moved has accessors written by hand, which read both places.
func model(d *spec.Data) []file {
	s := d.OpenRTB
	f := newFile(modelDir+"model_gen.go", "condition", "spec/openrtb.json, objects of a request",
		"github.com/rtbwire/rtbwire/openrtb")
	objects := reachable(s, "BidRequest")
	f.printf("// Indices of objects.\nconst (\n")
	enumerate(f, "objectID", 0, objects, func(o *spec.Object) string { return "obj" + o.Go })
	f.printf("\tobjectsOfRequest\n)\n\nvar requestObjects = [objectsOfRequest]object{\n")
	for _, o := range objects {
		f.printf("\tobj%s: {name: %q, absent: (*openrtb.%s)(nil), fields: []field{\n", o.Go, o.Go, o.Go)
		for _, field := range o.Fields {
			modelField(f, s, o, field)
		}
		f.printf("\t}},\n")
	}
	f.printf("}\n")
	return []file{*f}
}

// reachable lists the objects that the named one contains, itself first, in the data's order of
// fields.
func reachable(s *spec.Spec, root string) (out []*spec.Object) {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		o := s.Object(name)
		if o == nil || seen[name] {
			return
		}
		seen[name] = true
		out = append(out, o)
		for _, f := range o.Fields {
			visit(f.ObjectName())
		}
	}
	visit(root)
	return out
}

// modelField writes one field. Whether a string or a list is there follows from its value, so that
// only the others have a function for it.
func modelField(f *file, s *spec.Spec, o *spec.Object, field *spec.Field) {
	get := func(member, params, result, zero string) {
		f.printf("\t\t\t%s: func(_ *frame, o any%s) %s {\n", member, params, result)
		f.printf("\t\t\t\tif p := o.(*openrtb.%s); p != nil", o.Go)
		value, guard := "p."+field.Go, ""
		switch {
		case member == "has" && goType(s, field) == "json.RawMessage":
			value = "!isNull(" + value + ")"
		case member == "has":
			value += " != nil"
		case member == "n":
			value = "len(" + value + ")"
		case member == "oat":
			value = "&" + value + "[i]"
		case member == "iat" || member == "sat" || member == "fat":
			value += "[i]"
		case member == "i" || member == "f":
			guard, value = " && "+value+" != nil", "*"+value
		}
		if result == "int64" {
			value = "int64(" + value + ")"
		}
		f.printf("%s {\n\t\t\t\t\treturn %s\n\t\t\t\t}\n\t\t\t\treturn %s\n\t\t\t},\n", guard, value, zero)
	}
	if len(s.MovedTo(o, field)) > 0 {
		f.printf("\t\tmoved%s%s,\n", o.Go, field.Go)
		return
	}
	f.printf("\t\t{name: %q, ", field.JSON)
	switch {
	case goType(s, field) == "json.RawMessage":
		f.printf("kind: kindDyn,\n")
		get("raw", "", "[]byte", "nil")
	case field.ObjectName() != "":
		target := s.Object(field.ObjectName())
		f.printf("kind: kindObject, object: obj%s,", target.Go)
		if field.Array {
			f.printf(" list: true,\n")
			get("oat", ", i int", "any", "(*openrtb."+target.Go+")(nil)")
		} else {
			f.printf("\n")
			get("o", "", "any", "(*openrtb."+target.Go+")(nil)")
		}
	default:
		kind := map[string]string{"string": "String", "integer": "Int", "float": "Double"}[field.Type]
		result := map[string]string{"string": "string", "integer": "int64", "float": "float64"}[field.Type]
		zero := map[string]string{"string": `""`, "integer": "0", "float": "0"}[field.Type]
		letter := strings.ToLower(result[:1])
		f.printf("kind: kind%s,", kind)
		if field.Array {
			f.printf(" list: true,\n")
			get(letter+"at", ", i int", result, zero)
		} else {
			f.printf("\n")
			get(letter, "", result, zero)
		}
	}
	if field.Array {
		get("n", "", "int", "0")
	}
	if !field.Array && field.Type != "string" {
		get("has", "", "bool", "false")
	}
	f.printf("\t\t},\n")
}
