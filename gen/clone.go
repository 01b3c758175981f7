package gen

import "fmt"

var sprintf = fmt.Sprintf

// cloneFuncs writes deep copies that share no memory with the document or an arena.
func (w *writer) cloneFuncs() {
	for _, st := range w.model.structs {
		w.printf("// clone%s copies src to dst, which is zero, with everything it refers to.\nfunc clone%s(dst, src *%s) {\n", st.name, st.name, st.name)
		for _, f := range st.fields {
			w.cloneField(f)
		}
		w.printf("}\n\n")
	}
}

func (w *writer) cloneField(f *field) {
	t := &f.typ
	d, s := "dst."+f.goName, "src."+f.goName
	switch {
	case t.kind == kindRaw:
		w.printf("\t%s = coder.CloneSlice(%s)\n", d, s)
	case t.kind == kindStruct && t.shape == plain:
		w.printf("\tclone%s(&%s, &%s)\n", t.object.name, d, s)
	case t.kind == kindStruct && t.shape == pointer:
		w.printf("\tif %s != nil {\n\t\t%s = new(%s)\n\t\tclone%s(%s, %s)\n\t}\n", s, d, t.goType, t.object.name, d, s)
	case t.kind == kindStruct && t.shape == slice:
		w.printf("\tif %s != nil {\n\t\t%s = make([]%s, len(%s))\n\t\tfor i := range %s {\n\t\t\tclone%s(&%s[i], &%s[i])\n\t\t}\n\t}\n", s, d, t.goType, s, s, t.object.name, d, s)
	case t.kind == kindStruct:
		w.printf("\tif %s != nil {\n\t\t%s = make([]*%s, len(%s))\n\t\tfor i, e := range %s {\n\t\t\tif e != nil {\n\t\t\t\t%s[i] = new(%s)\n\t\t\t\tclone%s(%s[i], e)\n\t\t\t}\n\t\t}\n\t}\n", s, d, t.goType, s, s, d, t.goType, t.object.name, d)
	case t.shape == pointer && t.kind == kindString:
		w.printf("\tif %s != nil {\n\t\t%s = new(coder.CloneString(*%s))\n\t}\n", s, d, s)
	case t.shape == pointer:
		w.printf("\tif %s != nil {\n\t\t%s = new(*%s)\n\t}\n", s, d, s)
	case t.shape == slice && t.kind == kindString:
		w.printf("\t%s = coder.CloneStrings(%s)\n", d, s)
	case t.shape == slice:
		w.printf("\t%s = coder.CloneSlice(%s)\n", d, s)
	case t.kind == kindString:
		w.printf("\t%s = coder.CloneString(%s)\n", d, s)
	default:
		w.printf("\t%s = %s\n", d, s)
	}
}
