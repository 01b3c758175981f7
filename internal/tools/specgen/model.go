package main

import (
	"strings"

	"github.com/rtbwire/rtbwire/spec"
)

const modelDir = "inspect/policy/"

// model writes the objects of a request as conditions see them: the name, kind and accessors of
// each field. A legacy field has accessors written by hand, which read both places.
func model(d *spec.Data) []file {
	s := d.OpenRTB
	f := newFile(modelDir+"model_gen.go", "policy", "spec/openrtb.json, objects of a request",
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
	f.printf("}\n\n")
	shortcuts(f, s)
	return []file{*f}
}

// shortcuts writes accessors of the fields that conditions ask for most: those of the request, and
// those of the objects that are its fields. They do without the object.
func shortcuts(f *file, s *spec.Spec) {
	root := s.Object("BidRequest")
	f.printf("// shortcuts are accessors of fields of the request, by path.\nvar shortcuts = map[string]shortcut{\n")
	write := func(path, guard, member string, o *spec.Object, field *spec.Field) {
		if field.Array || len(s.LegacyPlaces(o, field)) > 0 || field.Type == "ext" {
			return
		}
		f.printf("\t%q: {", path+field.JSON)
		end := func(letter, result, condition, value, zero string) {
			test := ""
			if guard != "" {
				test = "p := " + guard + "; p != nil"
			}
			if condition != "" && test != "" {
				test += " && "
			} else if condition != "" {
				test = condition
				condition = ""
			}
			test += condition
			if test == "" {
				f.printf("%s: func(c *frame) %s { return %s }},\n", letter, result, value)
				return
			}
			f.printf("%s: func(c *frame) %s {\n\t\tif %s {\n\t\t\treturn %s\n\t\t}\n\t\treturn %s\n\t}},\n", letter, result, test, value, zero)
		}
		at := member + "." + field.Go
		switch {
		case field.ObjectName() != "":
			end("o", "any", "", at, "(*openrtb."+s.Object(field.ObjectName()).Go+")(nil)")
		case field.Type == "string":
			end("s", "string", "", at, `""`)
		case field.Type == "integer":
			end("i", "int64", at+" != nil", "int64(*"+at+")", "0")
		default:
			end("f", "float64", at+" != nil", "*"+at, "0")
		}
	}
	for _, field := range root.Fields {
		write("", "", "c.request", root, field)
	}
	for _, field := range root.Fields {
		if o := s.Object(field.ObjectName()); o != nil && !field.Array {
			for _, inner := range o.Fields {
				write(field.JSON+".", "c.request."+field.Go, "p", o, inner)
			}
		}
	}
	f.printf("}\n")
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
	if len(s.LegacyPlaces(o, field)) > 0 {
		f.printf("\t\tlegacy%s%s,\n", o.Go, field.Go)
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
		switch {
		case field.Array && letter == "s":
			f.printf(" list: true,\n")
			get("strings", "", "[]string", "nil")
		case field.Array:
			f.printf(" list: true,\n")
			get(letter+"at", ", i int", result, zero)
		default:
			f.printf("\n")
			get(letter, "", result, zero)
		}
	}
	if field.Array && field.Type != "string" {
		get("n", "", "int", "0")
	}
	if !field.Array && field.Type != "string" {
		get("has", "", "bool", "false")
	}
	f.printf("\t\t},\n")
}
