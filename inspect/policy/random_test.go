package policy

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// random writes expressions that type-check, over all fields of the model.
type random struct {
	*rand.Rand
	scope []variable
	names int
}

func pick[T any](r *random, list ...T) T { return list[r.IntN(len(list))] }

// expr writes an expression of a kind. depth bounds it.
func (r *random) expr(k kind, depth int) string {
	if depth <= 0 || r.IntN(12) == 0 {
		return r.leaf(k)
	}
	d := depth - 1
	switch k {
	case kindBool:
		return r.boolean(d)
	case kindInt:
		switch r.IntN(12) {
		case 0, 1:
			return fmt.Sprintf("(%s %s %s)", r.expr(kindInt, d), pick(r, "+", "-", "*", "/", "%"), r.expr(kindInt, d))
		case 2:
			return fmt.Sprintf("size(%s)", r.expr(pick(r, kindString, kindList, kindDyn), d))
		case 3:
			return fmt.Sprintf("(%s ? %s : %s)", r.expr(kindBool, d), r.expr(kindInt, d), r.expr(kindInt, d))
		case 4:
			return fmt.Sprintf("int(%s)", r.expr(pick(r, kindInt, kindDouble, kindString, kindDyn), d))
		case 5:
			return "(-" + r.expr(kindInt, d) + ")"
		case 6:
			return fmt.Sprintf("[%s, %s][%s]", r.expr(kindInt, d), r.expr(kindInt, d), r.expr(kindInt, d))
		}
	case kindDouble:
		switch r.IntN(10) {
		case 0, 1:
			return fmt.Sprintf("(%s %s %s)", r.expr(kindDouble, d), pick(r, "+", "-", "*", "/"), r.expr(kindDouble, d))
		case 2:
			return fmt.Sprintf("usd(%s, %s)", r.expr(kindDouble, d), pick(r, `"EUR"`, `"USD"`, `""`, r.expr(kindString, d)))
		case 3:
			return fmt.Sprintf("double(%s)", r.expr(pick(r, kindInt, kindDouble, kindString, kindDyn), d))
		case 4:
			return fmt.Sprintf("(%s ? %s : %s)", r.expr(kindBool, d), r.expr(kindDouble, d), r.expr(kindDouble, d))
		}
	case kindString:
		switch r.IntN(12) {
		case 0:
			return fmt.Sprintf("(%s + %s)", r.expr(kindString, d), r.expr(kindString, d))
		case 1:
			return fmt.Sprintf("string(%s)", r.expr(pick(r, kindInt, kindDouble, kindString, kindBool, kindDyn), d))
		case 2:
			return fmt.Sprintf("(%s ? %s : %s)", r.expr(kindBool, d), r.expr(kindString, d), r.expr(kindString, d))
		case 3:
			return r.expr(kindString, d) + ".lowerAscii()"
		case 4:
			return fmt.Sprintf("facts.headers[%s]", r.expr(kindString, d))
		}
	case kindDyn:
		switch r.IntN(10) {
		case 0:
			return fmt.Sprintf("dyn(%s)", r.expr(pick(r, kindInt, kindDouble, kindString, kindBool, kindList), d))
		case 1:
			return fmt.Sprintf("(%s %s %s)", r.expr(kindDyn, d), pick(r, "+", "-", "*", "/"), r.expr(kindDyn, d))
		case 2:
			return fmt.Sprintf("%s[%s]", r.expr(kindDyn, d), r.expr(pick(r, kindInt, kindString), d))
		case 3:
			return fmt.Sprintf("(%s ? %s : %s)", r.expr(kindBool, d), r.expr(kindDyn, d), r.expr(kindDyn, d))
		}
	case kindList:
		return r.list(pick(r, kindInt, kindString, kindDouble), d)
	}
	return r.leaf(k)
}

// boolean writes a condition.
func (r *random) boolean(d int) string {
	switch r.IntN(18) {
	case 0, 1:
		return fmt.Sprintf("(%s && %s)", r.expr(kindBool, d), r.expr(kindBool, d))
	case 2, 3:
		return fmt.Sprintf("(%s || %s)", r.expr(kindBool, d), r.expr(kindBool, d))
	case 4:
		return "!" + r.expr(kindBool, d)
	case 5:
		return fmt.Sprintf("(%s ? %s : %s)", r.expr(kindBool, d), r.expr(kindBool, d), r.expr(kindBool, d))
	case 6, 7:
		k := pick(r, kindInt, kindDouble, kindString, kindBool, kindDyn)
		return fmt.Sprintf("(%s %s %s)", r.expr(k, d), pick(r, "==", "!="), r.expr(k, d))
	case 8, 9:
		k := pick(r, kindInt, kindDouble, kindString, kindDyn)
		other := k
		if k == kindInt || k == kindDouble {
			other = pick(r, kindInt, kindDouble, kindDyn)
		}
		return fmt.Sprintf("(%s %s %s)", r.expr(k, d), pick(r, "<", "<=", ">", ">="), r.expr(other, d))
	case 10:
		k := pick(r, kindInt, kindString, kindDouble)
		return fmt.Sprintf("(%s in %s)", r.expr(k, d), r.list(k, d))
	case 11:
		return fmt.Sprintf("(%s in lists.blocked_domains)", r.expr(kindString, d))
	case 12:
		return fmt.Sprintf("%s.%s(%s)", r.expr(pick(r, kindString, kindString, kindDyn), d), pick(r, "contains", "startsWith", "endsWith"), r.expr(kindString, d))
	case 13:
		return fmt.Sprintf("%s.matches(%q)", r.expr(kindString, d), pick(r, "^https?://", "[a-z]+\\.com$", "(?i)mozilla", "^$", "1|2"))
	case 14:
		return fmt.Sprintf("(%s == %s)", r.list(kindInt, d), r.list(kindInt, d))
	case 15:
		return fmt.Sprintf("(%s in %s)", r.expr(pick(r, kindInt, kindString), d), r.leaf(kindDyn))
	}
	return r.loop(pick(r, "exists", "exists", "all", "exists_one"), d)
}

// loop writes a quantifier over a field, an ext or a list.
func (r *random) loop(macro string, d int) string {
	if len(r.scope) > 2 {
		return r.leaf(kindBool)
	}
	list, elem := r.listField()
	switch r.IntN(8) {
	case 0:
		k := pick(r, kindInt, kindString)
		list, elem = r.list(k, d), typ{kind: k}
	case 1:
		list, elem = r.leaf(kindDyn), typ{kind: kindDyn}
	}
	name := r.push(elem)
	body := r.expr(kindBool, d)
	r.scope = r.scope[:len(r.scope)-1]
	return fmt.Sprintf("%s.%s(%s, %s)", list, macro, name, body)
}

func (r *random) push(elem typ) string {
	r.names++
	name := fmt.Sprintf("v%d", r.names)
	r.scope = append(r.scope, variable{name, elem})
	return name
}

// list writes a list of a kind.
func (r *random) list(k kind, d int) string {
	switch n := r.IntN(7); {
	case n == 0 && d > 0 && len(r.scope) < 3:
		list, elem := r.listField()
		name := r.push(elem)
		body := r.expr(k, d-1)
		if r.IntN(2) == 0 {
			body = r.expr(kindBool, d-1) + ", " + body
		}
		r.scope = r.scope[:len(r.scope)-1]
		return fmt.Sprintf("%s.map(%s, %s)", list, name, body)
	case n == 1 && d > 0 && len(r.scope) < 3:
		from := r.list(k, d-1)
		name := r.push(typ{kind: k})
		body := r.expr(kindBool, d-1)
		r.scope = r.scope[:len(r.scope)-1]
		return fmt.Sprintf("%s.filter(%s, %s)", from, name, body)
	case n == 2 && d > 0:
		return fmt.Sprintf("(%s + %s)", r.list(k, d-1), r.list(k, d-1))
	case n < 5:
		var all []string
		for range 1 + r.IntN(3) {
			all = append(all, r.expr(k, d-1))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	if path := r.path(func(t typ) bool { return t.kind == kindList && t.elem.kind == k }); path != "" {
		return path
	}
	return "[" + r.leaf(k) + "]"
}

// listField writes a list of objects.
func (r *random) listField() (string, typ) {
	if r.IntN(2) == 0 {
		return "imp", typ{kind: kindObject, object: objImp}
	}
	var elem typ
	path := r.path(func(t typ) bool {
		if t.kind == kindList && t.elem.kind == kindObject {
			elem = *t.elem
			return true
		}
		return false
	})
	if path == "" {
		return "imp", typ{kind: kindObject, object: objImp}
	}
	return path, elem
}

// path writes a way through objects to a field that fits: from a variable, the request, or an
// element of a list. "" says that it ended elsewhere.
func (r *random) path(fits func(typ) bool) string {
	for range 50 {
		at, text := objBidRequest, ""
		if n := len(r.scope); n > 0 && r.IntN(3) > 0 {
			if v := r.scope[r.IntN(n)]; v.typ.kind == kindObject {
				at, text = v.typ.object, v.name
			}
		} else if r.IntN(10) == 0 {
			at, text = objFacts, "facts"
		}
		for range 6 {
			f := pick(r, objects[at].fields...)
			if text != "" {
				text += "."
			}
			text += f.name
			t := f.typ()
			if fits(t) {
				return text
			}
			if t.kind == kindList && t.elem.kind == kindObject && r.IntN(3) == 0 {
				text, t = fmt.Sprintf("%s[%d]", text, r.IntN(2)), *t.elem
			}
			if t.kind != kindObject {
				break
			}
			at = t.object
		}
	}
	return ""
}

func (r *random) leaf(k kind) string {
	for i := range r.scope {
		if v := r.scope[len(r.scope)-1-i]; v.typ.kind == k && r.IntN(2) == 0 {
			return v.name
		}
	}
	if k == kindBool {
		if r.IntN(8) == 0 {
			return pick(r, "true", "false")
		}
		if path := r.path(func(t typ) bool { return t.kind != kindTime && r.IntN(2) == 0 }); path != "" && !strings.HasSuffix(path, "]") {
			return "has(" + path + ")"
		}
		return "facts.seen"
	}
	if k == kindDyn {
		path := r.path(func(t typ) bool { return t.kind == kindDyn })
		if path == "" {
			path = "imp[0].ext"
		}
		for range r.IntN(3) {
			path += "." + pick(r, "prebid", "data", "gpid", "bidder", "n", "list", "o", "storedrequest", "eids", "consent", "gdpr", "is_rewarded_inventory")
		}
		return path
	}
	if k == kindList {
		return r.list(kindInt, 0)
	}
	if r.IntN(3) > 0 {
		if path := r.path(func(t typ) bool { return t.kind == k }); path != "" {
			return path
		}
	}
	switch k {
	case kindInt:
		return pick(r, "0", "1", "2", "3", "7", "300", "250", "9223372036854775807", "size(imp)")
	case kindDouble:
		return pick(r, "0.0", "0.1", "1.0", "1.5", "2.5e300", "(0.0 / 0.0)", "0.01")
	}
	return pick(r, `""`, `"USD"`, `"EUR"`, `"1"`, `"a"`, `"foobar.com"`, `"IAB1"`, `"com"`, `"12.5"`, `"é\u0130\n"`)
}
