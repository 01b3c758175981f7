package gen

import "strings"

// encodeStruct writes the function that appends a struct's object, and the methods around it.
func (w *writer) encodeStruct(st *structType) {
	w.printf("// append%s appends v as an object.\nfunc append%s(w *coder.Writer, b []byte, v *%s) []byte {\n", st.name, st.name, st.name)
	if st.recursive {
		w.printf("\tif !w.Enter() {\n\t\treturn b\n\t}\n")
	}
	w.printf("\tstart := len(b)\n")
	for _, f := range st.fields {
		w.encodeField(f)
	}
	if st.recursive {
		w.printf("\tw.Leave()\n")
	}
	w.printf("\treturn coder.CloseObject(b, start)\n}\n\n")
}

// encodeField writes the appending of one member.
func (w *writer) encodeField(f *field) {
	t := &f.typ
	v := "v." + f.goName
	key := sprintf("`,\"%s\":`", f.key)
	if strings.Contains(f.key, "`") {
		key = sprintf("%q", `,"`+f.key+`":`)
	}
	member := sprintf("\t\tb = append(b, %s...)\n\t\t%s\n", key, w.encodeValue(t, v))
	present, missing := w.presence(t, v)
	if f.omitZero && (t.shape == slice || t.shape == sliceOfPointers) {
		present = v + " != nil" // unlike omitempty it leaves an empty one
	}
	switch {
	case present == "":
		w.printf("\t{\n%s\t}\n", member)
	case f.omit || f.omitZero:
		w.printf("\tif %s {\n%s\t}\n", present, member)
	case missing != "":
		w.printf("\tif %s {\n%s\t} else {\n\t\tb = append(b, %s...)\n\t}\n", present, member, key[:len(key)-1]+missing+key[len(key)-1:])
	default:
		w.printf("\t{\n%s\t}\n", member)
	}
}

// presence is the condition under which a member is there; "" if it always is. missing is what
// stands for one that is not there and may not be left out, "" if its value says so itself.
func (w *writer) presence(t *fieldType, v string) (present, missing string) {
	switch {
	case t.shape == pointer:
		return v + " != nil", "null"
	case t.shape == slice || t.shape == sliceOfPointers:
		if w.config.KeepEmpty {
			return v + " != nil", "null"
		}
		return "len(" + v + ") != 0", ""
	case t.kind == kindRaw:
		return "len(" + v + ") != 0", "null"
	case t.kind == kindString:
		return v + ` != ""`, ""
	case t.kind == kindBool:
		return v, ""
	case t.kind == kindStruct:
		return "", ""
	}
	return v + " != 0", ""
}

// encodeValue is the statement that appends the value v.
func (w *writer) encodeValue(t *fieldType, v string) string {
	if t.shape == pointer && t.kind != kindStruct {
		v = "*" + v
	}
	switch {
	case t.kind == kindRaw:
		return sprintf("b = w.Raw(b, %s)", v)
	case t.kind == kindStruct && t.shape == plain:
		return sprintf("b = append%s(w, b, &%s)", t.object.name, v)
	case t.kind == kindStruct && t.shape == pointer:
		return sprintf("b = append%s(w, b, %s)", t.object.name, v)
	case t.kind == kindStruct && t.shape == slice:
		return w.nullSlice(t, v, sprintf("from := len(b)\n\t\tfor i := range %s {\n\t\t\tb = append%s(w, append(b, ','), &%s[i])\n\t\t}\n\t\tb = coder.CloseArray(b, from)", v, t.object.name, v))
	case t.kind == kindStruct:
		return w.nullSlice(t, v, sprintf("from := len(b)\n\t\tfor _, e := range %s {\n\t\t\tif e == nil {\n\t\t\t\tb = append(b, \",null\"...)\n\t\t\t} else {\n\t\t\t\tb = append%s(w, append(b, ','), e)\n\t\t\t}\n\t\t}\n\t\tb = coder.CloseArray(b, from)", v, t.object.name))
	case t.shape == slice && t.kind == kindString && !t.named():
		return w.nullSlice(t, v, sprintf("b = w.Strings(b, %s)", v))
	case t.shape == slice:
		return w.nullSlice(t, v, sprintf("from := len(b)\n\t\tfor _, e := range %s {\n\t\t\t%s\n\t\t}\n\t\tb = coder.CloseArray(b, from)", v, t.appendScalar("append(b, ',')", "e")))
	}
	return t.appendScalar("b", v)
}

// nullSlice makes null of a slice that is nil, where it is not left out.
func (w *writer) nullSlice(t *fieldType, v, code string) string {
	if w.config.KeepEmpty {
		return code // nil is left out
	}
	return sprintf("if %s == nil {\n\t\tb = append(b, \"null\"...)\n\t\t} else {\n\t\t%s\n\t\t}", v, code)
}

// appendScalar is the statement that appends a scalar.
func (t *fieldType) appendScalar(b, v string) string {
	switch {
	case t.kind == kindString && t.named():
		return sprintf("b = w.String(%s, string(%s))", b, v)
	case t.kind == kindString:
		return sprintf("b = w.String(%s, %s)", b, v)
	case t.kind == kindBool:
		return sprintf("b = coder.AppendBool(%s, %s)", b, v)
	case t.kind == kindFloat && t.basic == "float32":
		return sprintf("b = w.Float32(%s, float32(%s))", b, v)
	case t.kind == kindFloat && t.named():
		return sprintf("b = w.Float64(%s, float64(%s))", b, v)
	case t.kind == kindFloat:
		return sprintf("b = w.Float64(%s, %s)", b, v)
	case strings.HasPrefix(t.basic, "uint"):
		return sprintf("b = coder.AppendUint(%s, %s)", b, v)
	}
	return sprintf("b = coder.AppendInt(%s, %s)", b, v)
}

// encodeMethods writes the methods that programs call.
func (w *writer) encodeMethods() {
	roots := map[*structType]bool{}
	for _, st := range w.model.roots {
		roots[st] = true
	}
	for _, st := range w.model.structs {
		r := strings.NewReplacer("TYPE", st.name)
		buffer, learn := "dst", ""
		if roots[st] {
			buffer, learn = "size"+st.name+".Buffer(dst)", "\tif cap(dst) == 0 {\n\t\tb = size"+st.name+".Learn(b)\n\t}\n"
			w.printf("var size%s coder.Estimate\n\n", st.name)
		}
		w.WriteString(r.Replace(`// AppendJSON appends v as JSON to dst and returns the longer slice; of a nil v it appends null.
// On failure it returns dst and a [*wire.Error] with the path of what can't be written. dst must
// not share memory with v, as the text has that a fast decoder has read v from.
func (v *TYPE) AppendJSON(dst []byte) ([]byte, error) { return v.AppendJSONWith(dst, wire.EncodeOptions{}) }

// AppendJSONWith is [TYPE.AppendJSON] with options.
func (v *TYPE) AppendJSONWith(dst []byte, o wire.EncodeOptions) ([]byte, error) {
	if v == nil {
		return append(dst, "null"...), nil
	}
	w := coder.Writer{EncodeOptions: o}
	b := appendTYPE(&w, ` + buffer + `, v)
` + learn + `	return w.Finish(dst, b, v)
}

`))
		if roots[st] {
			w.WriteString(r.Replace(`// WriteTo writes v as JSON to out in one call of its Write.
func (v *TYPE) WriteTo(out io.Writer) (int64, error) { return coder.WriteJSON(out, v) }

`))
		}
	}
}
