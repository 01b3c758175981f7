package openrtb_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/spec"
)

// models returns both specifications with the packages that implement them. The caller may change
// the data.
func models(t *testing.T) map[string]struct {
	spec *spec.Spec
	desc *pkgDesc
} {
	t.Helper()
	data, err := spec.Load(spec.Files())
	if err != nil {
		t.Fatal(err)
	}
	full := describe(t, ".", reflect.TypeFor[openrtb.BidRequest](), reflect.TypeFor[openrtb.BidResponse]())
	full.objects, full.fields = data.OpenRTB.Counts.Objects, data.OpenRTB.Counts.Fields
	nat := describe(t, "native", reflect.TypeFor[native.Request](), reflect.TypeFor[native.Response]())
	nat.objects, nat.fields = data.Native.Counts.Objects, data.Native.Counts.Fields
	return map[string]struct {
		spec *spec.Spec
		desc *pkgDesc
	}{
		"openrtb": {data.OpenRTB, full},
		"native":  {data.Native, nat},
	}
}

// TestModelMatchesSpecification compares every object and field of both specifications with the Go
// types and their doc comments, and the types with the specifications.
func TestModelMatchesSpecification(t *testing.T) {
	for name, m := range models(t) {
		for _, mm := range checkModel(m.spec, m.desc) {
			t.Errorf("%s: %v", name, mm)
		}
	}
}

// mutation changes one field of a description. edit returns false if there is nothing to change.
type mutation struct {
	name string
	edit func(f *spec.Field, fd *fieldDesc) bool
}

var mutations = []mutation{
	{"JSON name", func(f *spec.Field, fd *fieldDesc) bool { fd.key += "x"; return true }},
	{"case of the JSON name", func(f *spec.Field, fd *fieldDesc) bool {
		fd.key = strings.ToUpper(fd.key[:1]) + fd.key[1:]
		return true
	}},
	{"no omitempty", func(f *spec.Field, fd *fieldDesc) bool { fd.options = ""; return true }},
	{"kind", func(f *spec.Field, fd *fieldDesc) bool {
		next := map[string]string{"int": "float64", "float64": "int", "string": "int", "json.RawMessage": "string"}
		if fd.elem = next[fd.elem]; fd.elem == "" { // lists and objects
			fd.elem = "string"
		}
		return true
	}},
	{"list or object", func(f *spec.Field, fd *fieldDesc) bool {
		if f.List == "" && f.ObjectName() == "" {
			return false
		}
		fd.elem += "2"
		return true
	}},
	{"width", func(f *spec.Field, fd *fieldDesc) bool {
		next := map[string]string{"int": "int64", "float64": "float32"}
		fd.elem = next[fd.elem]
		return fd.elem != ""
	}},
	{"array", func(f *spec.Field, fd *fieldDesc) bool {
		if fd.shape == "[]" {
			fd.shape = "*"
		} else {
			fd.shape = "[]"
		}
		return true
	}},
	{"optionality", func(f *spec.Field, fd *fieldDesc) bool {
		switch fd.shape {
		case "*":
			fd.shape = ""
		case "":
			fd.shape = "*"
		default:
			return false
		}
		return true
	}},
	{"no doc comment", func(f *spec.Field, fd *fieldDesc) bool { fd.doc = ""; return true }},
	{"another version", func(f *spec.Field, fd *fieldDesc) bool { fd.doc = "Since 9.9. " + fd.doc; return true }},
	{"earlier place", func(f *spec.Field, fd *fieldDesc) bool {
		var found bool
		fd.doc, _, found = strings.Cut(fd.doc, "Earlier place: ")
		return found
	}},
	{"deprecation", func(f *spec.Field, fd *fieldDesc) bool {
		if fd.deprecated == "" {
			fd.deprecated = "Deprecated: by mistake."
		} else {
			fd.deprecated = ""
		}
		return true
	}},
}

// TestModelCheckerNoticesEveryChange shows that TestModelMatchesSpecification would fail and name
// the right field: it changes each field in each way that a field can be wrong, on
// either side.
func TestModelCheckerNoticesEveryChange(t *testing.T) {
	fields, changes := 0, 0
	for _, m := range models(t) {
		for i, o := range m.spec.Objects {
			desc := m.desc.types[o.Go]
			// The checker looks at one object after the other, so the rest are left out.
			s := *m.spec
			s.Objects = m.spec.Objects[i : i+1]
			d := &pkgDesc{objects: 1, fields: len(o.Fields), types: map[string]*typeDesc{o.Go: desc}}
			withNested(&s, d, m.spec, m.desc)
			for j, f := range o.Fields {
				fields++
				at := o.Name + "." + f.JSON
				expect := func(change string, want ...string) {
					t.Helper()
					changes++
					var got []string
					for _, mm := range checkModel(&s, d) {
						if !slices.Contains(got, mm.at) {
							got = append(got, mm.at)
						}
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s: %s: the checker reports %v, want %v", at, change, got, want)
					}
				}
				expect("nothing")

				fd := desc.fields[f.Go]
				for _, mut := range mutations {
					changed := *fd
					if mut.edit(f, &changed) {
						desc.fields[f.Go] = &changed
						expect(mut.name, at)
					}
				}

				// Removed from the types, and under another name.
				delete(desc.fields, f.Go)
				order := desc.order
				desc.order = slices.Delete(slices.Clone(order), j, j+1)
				expect("removed", at)
				desc.order = append(desc.order, "Other")
				desc.fields["Other"] = fd
				expect("renamed", at, o.Name+".(Other)")
				delete(desc.fields, "Other")
				desc.fields[f.Go], desc.order = fd, order

				// Removed from the specification, but not from the type.
				all := o.Fields
				o.Fields = slices.Delete(slices.Clone(all), j, j+1)
				d.fields--
				expect("not in the specification", o.Name+".("+f.Go+")")
				o.Fields = all
				d.fields++
			}
		}
	}
	if want := spec.OpenRTB().Counts.Fields + spec.Native().Counts.Fields; fields != want {
		t.Errorf("%d fields changed, want %d", fields, want)
	}
	t.Logf("%d changes", changes)
}

// withNested adds the objects that fields refer to, without their fields, so that the names
// resolve.
func withNested(s *spec.Spec, d *pkgDesc, all *spec.Spec, allDesc *pkgDesc) {
	for _, f := range s.Objects[0].Fields {
		name := f.ObjectName()
		if name == "" || name == "any" || s.Object(name) != nil {
			continue
		}
		o := *all.Object(name)
		o.Fields = nil
		s.Objects = append(slices.Clip(s.Objects), &o)
		d.types[o.Go] = &typeDesc{doc: allDesc.types[o.Go].doc, fields: map[string]*fieldDesc{}}
		d.objects++
	}
}

// TestModelCheckerNoticesTypes is TestModelCheckerNoticesEveryChange for whole types.
func TestModelCheckerNoticesTypes(t *testing.T) {
	for name, m := range models(t) {
		for _, o := range m.spec.Objects {
			desc := m.desc.types[o.Go]
			expect := func(change, want string) {
				t.Helper()
				for _, mm := range checkModel(m.spec, m.desc) {
					if mm.at == want {
						return
					}
				}
				t.Errorf("%s: %s: %s is not reported", name, change, want)
			}
			delete(m.desc.types, o.Go)
			expect("type removed", o.Name)
			m.desc.types[o.Go] = desc

			doc := desc.doc
			desc.doc = ""
			expect("no doc comment", o.Name)
			desc.doc = strings.Replace(doc, "Section "+o.Section+" of", "Section 9.9 of", 1)
			expect("another section", o.Name)
			desc.doc = doc

			slices.Reverse(desc.order)
			if len(desc.order) > 1 {
				expect("another order", o.Name)
			}
			slices.Reverse(desc.order)
		}
		m.desc.types["Other"] = &typeDesc{}
		found := false
		for _, mm := range checkModel(m.spec, m.desc) {
			found = found || mm.at == "(Other)"
		}
		if !found {
			t.Errorf("%s: an additional type is not reported", name)
		}
		delete(m.desc.types, "Other")
		if left := checkModel(m.spec, m.desc); len(left) > 0 {
			t.Errorf("%s: the changes were not undone: %v", name, left)
		}
	}
}
