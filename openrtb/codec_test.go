package openrtb

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// This file looks into codecs: what they keep when they are idle can't be seen from outside, or
// only after many documents.

// objectField is a field that holds an object or an array of objects.
type objectField struct {
	name     string
	object   reflect.Type // what it holds
	document string       // the smallest one that has the field
}

// objectFields lists the fields for objects of a message and of all types in it.
func objectFields(root reflect.Type) (list []objectField) {
	seen := map[reflect.Type]bool{root: true}
	todo := []objectField{{object: root, document: "%s"}} // the document around an object
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for f := range at.object.Fields() {
			object, form := f.Type, "%s"
			switch object.Kind() { //nolint:exhaustive // no other kind holds objects
			case reflect.Pointer:
				object = object.Elem()
			case reflect.Slice:
				object, form = object.Elem(), "[%s]"
			default:
				continue
			}
			if object.Kind() != reflect.Struct {
				continue
			}
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			around := fmt.Sprintf(at.document, `{"`+key+`":`+form+`}`)
			list = append(list, objectField{at.object.Name() + "." + f.Name, object, fmt.Sprintf(around, "{}")})
			if !seen[object] {
				seen[object] = true
				todo = append(todo, objectField{object: object, document: around})
			}
		}
	}
	return list
}

// slabsInUse lists the codec's slabs of objects that have slots in use, or memory.
func slabsInUse(c *codec) (used, kept []string) {
	v := reflect.ValueOf(c).Elem()
	for f, field := range v.Fields() {
		if !strings.HasPrefix(f.Name, "slab") {
			continue
		}
		if field.FieldByName("n").Int() != 0 {
			used = append(used, f.Name)
		}
		if field.FieldByName("buf").Len() != 0 {
			kept = append(kept, f.Name)
		}
	}
	return used, kept
}

// TestEverySlabIsReset decodes each field that holds objects, and looks for slots that stay in use
// when the document's time is over: their values would stay alive, and the slab would grow with
// every document.
func TestEverySlabIsReset(t *testing.T) {
	seen := map[string]bool{}
	for _, root := range []struct {
		typ    reflect.Type
		decode func(c *codec, data []byte) error
	}{
		{reflect.TypeFor[BidRequest](), func(c *codec, data []byte) error { return c.parseBidRequest(new(BidRequest), data) }},
		{reflect.TypeFor[BidResponse](), func(c *codec, data []byte) error { return c.parseBidResponse(new(BidResponse), data) }},
	} {
		for _, f := range objectFields(root.typ) {
			seen[f.object.Name()] = true
			for _, end := range []struct {
				name string
				do   func(*codec)
			}{{"reset", (*codec).reset}, {"detach", (*codec).detach}} {
				var c codec
				for range 3 { // the keys are predicted from the second time on
					if err := root.decode(&c, []byte(f.document)); err != nil {
						t.Fatalf("%s: %s: %v", f.name, f.document, err)
					}
					slab := "slab" + f.object.Name()
					if reflect.ValueOf(&c).Elem().FieldByName(slab).FieldByName("n").Int() == 0 {
						t.Errorf("%s: %s uses no slot of %s", f.name, f.document, slab)
					}
					end.do(&c)
					used, kept := slabsInUse(&c)
					if len(used) > 0 {
						t.Errorf("%s: after %s slots of %v are in use", f.name, end.name, used)
					}
					if end.name == "detach" && len(kept) > 0 {
						t.Errorf("%s: after detach %v have memory of the value", f.name, kept)
					}
				}
			}
		}
	}
	for f := range reflect.TypeFor[codec]().Fields() {
		object, isSlab := strings.CutPrefix(f.Name, "slab")
		if _, isType := reflect.TypeFor[codec]().FieldByName("next" + object); isSlab && isType && !seen[object] && object != "BidRequest" && object != "BidResponse" {
			t.Errorf("no document has a %s", object)
		}
	}
}

// TestBundlesAreDetached ends a document that has used nothing of its first block of memory.
func TestBundlesAreDetached(t *testing.T) {
	for name, use := range map[string]func(*codec){
		"BidRequest":  func(c *codec) { c.useBidRequest(new(bundleBidRequest)) },
		"BidResponse": func(c *codec) { c.useBidResponse(new(bundleBidResponse)) },
	} {
		var c codec
		use(&c)
		if _, kept := slabsInUse(&c); len(kept) < 3 {
			t.Errorf("%s: the bundle has slots for %v only", name, kept)
		}
		c.detach()
		if _, kept := slabsInUse(&c); len(kept) > 0 {
			t.Errorf("%s: after detach %v have memory of the bundle", name, kept)
		}
	}
}

// TestHugeCodecsAreDropped decodes a text whose index is larger than what idle codecs may keep.
func TestHugeCodecsAreDropped(t *testing.T) {
	if testkit.Race {
		t.Skip("under the race detector pools drop what is put into them at random")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	small, huge := []byte(`{"id":"1"}`), []byte(`{"id":"`+strings.Repeat("a", 4*keepBytes)+`"}`)
	kept := func(data []byte) (count int) {
		for range 10 { // an idle codec is not found from another processor
			var p Pool
			if _, err := p.ParseFast(data); err != nil {
				t.Fatal(err)
			}
			if c, ok := p.codecs.Get().(*codec); ok {
				if count++; c.r.Retained() > keepBytes {
					t.Fatalf("after a text of %d bytes an idle codec keeps %d", len(data), c.r.Retained())
				}
			}
		}
		return count
	}
	if kept(small) == 0 {
		t.Error("no codec is used again")
	}
	if n := kept(huge); n > 0 {
		t.Errorf("%d of 10 codecs are kept after a huge text", n)
	}
	var p Pool
	d := p.Get()
	if _, err := d.Decode(huge); err != nil {
		t.Fatal(err)
	}
	p.Put(d)
	v, err := p.ParseFastArena(huge)
	if err != nil {
		t.Fatal(err)
	}
	v.Release()
	if testkit.Poisoned {
		return // what was released is not used again
	}
	if n := d.c.r.Retained(); n > keepBytes {
		t.Errorf("an idle decoder keeps %d bytes", n)
	}
	if a, ok := p.arenas.Get().(*arenaBidRequest); ok && a.c.r.Retained() > keepBytes {
		t.Errorf("an idle arena keeps %d bytes", a.c.r.Retained())
	}
}
