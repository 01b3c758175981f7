package openrtb

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// objects returns the structs that a request is made of.
func objects() map[reflect.Type]bool {
	found := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			if found[t] {
				return
			}
			found[t] = true
			for f := range t.Fields() {
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[BidRequest]())
	return found
}

// The articles have 70 fields in 11 objects.
func TestTypes(t *testing.T) {
	fields, kinds := 0, map[string]int{}
	for object := range objects() {
		fields += object.NumField()
		for f := range object.Fields() {
			kind := f.Type.String()
			if f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct {
				kind = "object"
			}
			kinds[kind]++
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != strings.ToLower(f.Name) {
				t.Errorf("%s.%s has the key %q", object.Name(), f.Name, key)
			}
		}
	}
	if n := len(objects()); n != 11 || fields != 70 {
		t.Errorf("%d fields of %d objects, want 70 of 11", fields, n)
	}
	want := map[string]int{
		"string": 25, "*string": 1, "int": 2, "*int": 14, "*float64": 1, "[]string": 4, "[]int": 2,
		"json.RawMessage": 10, "object": 9, "[]openrtb.Imp": 1, "[]openrtb.Format": 1,
	}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("kinds of fields are %v, want %v", kinds, want)
	}
}

// The articles' request has 804 bytes and these members, whose values have these lengths as JSON.
func TestBanner(t *testing.T) {
	if n := len(BannerText()); n != 804 {
		t.Errorf("%d bytes, want 804", n)
	}
	want := map[string]int{
		".id": 38, ".at": 1, ".tmax": 3, ".bcat.0": 9, ".bcat.1": 7, ".imp.0.id": 9, ".imp.0.banner.format.0.w": 3,
		".imp.0.banner.format.0.h": 3, ".imp.0.banner.format.1.w": 3, ".imp.0.banner.format.1.h": 2,
		".imp.0.banner.format.2.w": 3, ".imp.0.banner.format.2.h": 3, ".imp.0.banner.pos": 1, ".imp.0.bidfloor": 4,
		".imp.0.bidfloorcur": 5, ".imp.0.secure": 1, ".site.id": 10, ".site.name": 14, ".site.domain": 13, ".site.page": 49,
		".site.publisher.id": 9, ".site.publisher.name": 21, ".site.publisher.domain": 13, ".device.ua": 113, ".device.ip": 14,
		".device.devicetype": 1, ".device.make": 6, ".device.model": 5, ".device.os": 9, ".device.osv": 4, ".device.language": 4,
		".user.id": 38, ".user.buyeruid": 27, ".user.yob": 4, ".user.gender": 3,
	}
	got := map[string]int{}
	var walk func(path string, text json.RawMessage)
	walk = func(path string, text json.RawMessage) {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(text, &object) == nil:
			for key, v := range object {
				walk(path+"."+key, v)
			}
		case json.Unmarshal(text, &list) == nil:
			for i, v := range list {
				walk(path+"."+string(rune('0'+i)), v)
			}
		default:
			got[path] = len(text)
		}
	}
	walk("", BannerText())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v,\nwant %v", got, want)
	}
}

func TestIndented(t *testing.T) {
	text, err := IndentedText()
	if err != nil {
		t.Fatal(err)
	}
	var a, b BidRequest
	if err := json.Unmarshal(text, &a); err != nil || json.Unmarshal(BannerText(), &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("the indented request is another one: %v", err)
	}
	if len(text) < 3*len(BannerText())/2 {
		t.Errorf("%d bytes are hardly indented", len(text))
	}
}
