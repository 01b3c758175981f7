package parsers

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// reading says what rtbwire makes of a value in an ext, where it converts.
type reading uint8

const (
	plain reading = iota // a field: the decoder has a type for it
	text                 // a string, other values are absent
	flag                 // a number, quoted or not, or a boolean
)

// place is a JSON Pointer that rules, lists or scrubs look at.
type place struct {
	pointer   string
	segments  []string
	reading   reading
	condition string // how conditions name it, "" if they are not asked for it
}

// places are compared in every document.
var places = func() (all []place) {
	add := func(r reading, pointers string) {
		for p := range strings.FieldsSeq(pointers) {
			all = append(all, place{pointer: p, segments: strings.Split(p, "/")[1:], reading: r})
		}
	}
	add(plain, `/id /at /test /tmax /allimps /cur /bcat /badv /bapp /wseat /bseat /wlang
		/imp /imp/0/id /imp/0/bidfloor /imp/0/bidfloorcur /imp/0/secure /imp/0/instl /imp/0/tagid /imp/0/displaymanager
		/imp/0/banner/w /imp/0/banner/h /imp/0/banner/pos /imp/0/banner/battr /imp/0/banner/format/0/w
		/imp/0/video/mimes /imp/0/video/minduration /imp/0/video/maxduration /imp/0/video/protocols /imp/0/video/w
		/imp/0/native/request /imp/0/native/ver
		/imp/0/pmp/private_auction /imp/0/pmp/deals/0/id /imp/0/pmp/deals/0/bidfloor /imp/1/id /imp/1/bidfloor
		/site/id /site/name /site/domain /site/page /site/ref /site/cat /site/publisher/id /site/publisher/domain /site/content/id
		/app/id /app/name /app/bundle /app/domain /app/storeurl /app/cat /app/publisher/id /app/publisher/domain
		/dooh/id /dooh/name /dooh/publisher/id
		/device/ua /device/ip /device/ipv6 /device/ifa /device/lmt /device/dnt /device/devicetype /device/os /device/osv
		/device/make /device/model /device/language /device/geo/country /device/geo/lat /device/geo/lon
		/user/id /user/buyeruid /user/consent /user/yob /user/eids/0/source /user/eids/0/uids/0/id /user/geo/lat
		/regs/coppa /regs/gdpr /regs/us_privacy /regs/gpp /regs/gpp_sid
		/source/tid /source/pchain /source/schain/complete /source/schain/nodes/0/asi /source/schain/nodes/0/sid`)
	add(text, `/user/ext/consent /user/ext/eids/0/source /regs/ext/us_privacy /regs/ext/gpp /imp/0/ext/gpid /source/ext/schain/nodes/0/asi`)
	add(flag, `/regs/ext/gdpr`)
	for i := range all {
		all[i].condition = condition(all[i].pointer)
	}
	return all
}()

// condition returns a place as conditions name it, "" for those that have the value at two places,
// and for those in arrays that may be shorter, but imp[0].
func condition(pointer string) string {
	rest, first := strings.CutPrefix(pointer, "/imp/0/")
	name := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	if first {
		name = "imp[0]." + strings.ReplaceAll(rest, "/", ".")
	}
	for _, moved := range legacy.Table() {
		if strings.Contains(pointer+"/", moved.To+"/") || strings.Contains(pointer+"/", moved.From+"/") {
			return ""
		}
	}
	if strings.ContainsAny(strings.TrimPrefix(name, "imp[0]"), "0123456789") {
		return ""
	}
	return name
}

// lookedAt has the places, and the objects and arrays that they are in.
var lookedAt = func() map[string]bool {
	all := map[string]bool{}
	for _, p := range places {
		for at := p.pointer; at != ""; at = at[:strings.LastIndexByte(at, '/')] {
			all[at] = true
		}
	}
	return all
}()

// pointers are the arguments of readers.
func pointers() (list []string) {
	for _, p := range places {
		list = append(list, p.pointer)
	}
	return list
}

// read returns what is at each place of a decoded request. ext reads a place in an ext.
func read(r *openrtb.BidRequest, ext func(raw json.RawMessage, p *place, rest []string) value) []value {
	all := make([]value, len(places))
	for i := range places {
		all[i] = valueAt(reflect.ValueOf(r), &places[i], places[i].segments, ext)
	}
	return all
}

var rawType = reflect.TypeFor[json.RawMessage]()

func valueAt(v reflect.Value, p *place, rest []string, ext func(raw json.RawMessage, p *place, rest []string) value) value {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return absent
		}
		v = v.Elem()
	}
	switch {
	case v.Type() == rawType:
		return ext(v.Bytes(), p, rest)
	case len(rest) == 0:
		return leaf(v)
	case v.Kind() == reflect.Slice:
		i, err := strconv.Atoi(rest[0])
		if err != nil || i >= v.Len() {
			return absent
		}
		return valueAt(v.Index(i), p, rest[1:], ext)
	}
	return valueAt(v.Field(fieldOf(v.Type(), rest[0])), p, rest[1:], ext)
}

// fieldOf returns the number of the field that has a name in JSON.
func fieldOf(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return i
		}
	}
	panic(fmt.Sprintf("%v has no field %q", t, name))
}

func leaf(v reflect.Value) value {
	switch v.Kind() { //nolint:exhaustive // the types have no others
	case reflect.String:
		if v.Len() == 0 {
			return absent
		}
		return stringValue(strings.Clone(v.String())) // the arena is used again
	case reflect.Float64:
		return floatValue(v.Float())
	case reflect.Struct:
		return value{kind: '{'}
	case reflect.Slice:
		if v.IsNil() {
			return absent
		}
		list := value{kind: '['}
		for i := range v.Len() {
			list.list = append(list.list, leaf(v.Index(i)))
		}
		return list
	}
	return intValue(v.Int())
}

// isLegacy reports whether a place is one that earlier versions have for a field.
func isLegacy(pointer string) bool {
	return slices.ContainsFunc(legacy.Table(), func(f legacy.Row) bool { return strings.Contains(pointer+"/", f.From+"/") })
}

// legacyValue reads a place in an ext as rtbwire does.
func legacyValue(raw json.RawMessage, p *place, rest []string) value {
	name := rest[0]
	switch {
	case name == "eids":
		_, list, _ := legacy.NewReader().EIDs(&openrtb.BidRequest{User: &openrtb.User{Ext: raw}})
		return valueAt(reflect.ValueOf(list), p, rest[1:], legacyValue)
	case name == "schain":
		chain := legacy.NewReader().SChain(&openrtb.BidRequest{Source: &openrtb.Source{Ext: raw}}).Source
		return valueAt(reflect.ValueOf(chain), p, rest[1:], legacyValue)
	case p.reading == flag:
		if n, ok := legacy.Flag(raw, name); ok {
			return intValue(int64(n))
		}
	case isLegacy(p.pointer):
		if s, ok := legacy.Text(raw, name); ok {
			return stringValue(strings.Clone(s))
		}
	default: // conditions name it, byte for byte
		var members map[string]json.RawMessage
		var s string
		if json.Unmarshal(raw, &members) == nil && len(members[name]) > 0 && members[name][0] == '"' && json.Unmarshal(members[name], &s) == nil {
			return stringValue(s)
		}
	}
	return absent
}

// as converts what a reader finds as rtbwire does.
func (r reading) as(v value) value {
	switch {
	case r == text && v.kind != 's':
		return absent
	case r == flag && v.kind == 't':
		return intValue(1)
	case r == flag && v.kind == 'f':
		return intValue(0)
	case r == flag && v.kind == 's':
		// Only what JSON has for numbers counts.
		var n float64
		if json.Unmarshal([]byte(v.text), &n) != nil || strings.TrimSpace(v.text) != v.text || v.text == "null" {
			return absent
		}
		return floatValue(n).truncated()
	case r == flag && v.kind == 'n':
		return v.truncated()
	case r == flag:
		return absent
	}
	return v
}

// truncated drops the fraction of a number. One that has no room in an integer is absent.
func (v value) truncated() value {
	const limit = 1 << (strconv.IntSize - 1)
	switch {
	case v.float <= -limit || v.float >= limit:
		return absent
	case v.exact:
		return v
	}
	return intValue(int64(v.float))
}

// typeOf has the type of the field at a place: 's', 'i', 'f', '[' or '{'; 0 in an ext.
var typeOf = func() map[string]byte {
	all := map[string]byte{}
places:
	for i := range places {
		t := reflect.TypeFor[openrtb.BidRequest]()
		for _, s := range places[i].segments {
			for t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			if t == rawType {
				continue places
			}
			if t.Kind() == reflect.Slice {
				t = t.Elem()
				continue
			}
			t = t.Field(fieldOf(t, s)).Type
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		all[places[i].pointer] = map[reflect.Kind]byte{reflect.String: 's', reflect.Int: 'i', reflect.Float64: 'f', reflect.Slice: '[', reflect.Struct: '{'}[t.Kind()]
	}
	return all
}()
