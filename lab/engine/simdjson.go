package engine

import (
	"errors"
	"sync"

	"github.com/minio/simdjson-go"
)

var errNoObject = errors.New("the document is not an object")

// simdjsonState has the memory that one goroutine reuses.
type simdjsonState struct {
	parsed                                          *simdjson.ParsedJson
	root, imp, banner, site, app, device, user, geo simdjson.Object
	element                                         simdjson.Element
	array                                           simdjson.Array
	iter                                            simdjson.Iter
}

func simdjsonEngines() []Engine {
	if !simdjson.SupportedCPU() {
		return nil
	}
	pool := sync.Pool{New: func() any { return new(simdjsonState) }}
	return []Engine{{
		Name: "simdjson-go", Module: "github.com/minio/simdjson-go",
		Config: "simdjson.Parse(data, reused, WithCopyStrings(false)), Object.FindKey; tape from a sync.Pool",
		Source: "README.md: `WithCopyStrings(false)` option",
		Note:   simdjsonNote,
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Fields: func(data []byte, f *Fields) error {
			s := pool.Get().(*simdjsonState)
			err := s.fields(data, f)
			pool.Put(s)
			return err
		},
		Validate: func(data []byte) bool {
			s := pool.Get().(*simdjsonState)
			defer pool.Put(s)
			return s.parse(data) == nil
		},
	}, {
		Name: "simdjson-go-foreach", Module: "github.com/minio/simdjson-go",
		Config: "simdjson.Parse(data, reused, WithCopyStrings(false)), Object.ForEach of the request and of each object in it that has a field; tape from a sync.Pool",
		Source: "README.md: which makes it possible to get a callback for each element in the object",
		Note:   simdjsonNote,
		Safety: Safety{Copies: Yes, UTF8: No, CaseSensitive: Yes},
		Fields: func(data []byte, f *Fields) error {
			s := pool.Get().(*simdjsonState)
			err := s.each(data, f)
			pool.Put(s)
			return err
		},
	}}
}

const simdjsonNote = "parses the whole document into a tape; needs AVX2"

func (s *simdjsonState) parse(data []byte) error {
	parsed, err := simdjson.Parse(data, s.parsed, simdjson.WithCopyStrings(false))
	if err == nil {
		s.parsed = parsed
	}
	return err
}

// request parses a text and returns its object.
func (s *simdjsonState) request(data []byte) (*simdjson.Object, error) {
	if err := s.parse(data); err != nil {
		return nil, err
	}
	i := s.parsed.Iter()
	i.AdvanceInto()
	if _, _, err := i.Root(&s.iter); err != nil {
		return nil, err
	}
	root, err := s.iter.Object(&s.root)
	if err != nil {
		return nil, errNoObject
	}
	return root, nil
}

func (s *simdjsonState) fields(data []byte, f *Fields) error {
	*f = Fields{}
	root, err := s.request(data)
	if err != nil {
		return err
	}
	f.ID = s.text(root, "id")
	f.At, f.TMax = s.int(root, "at"), s.int(root, "tmax")
	if first, ok := s.first(root, "imp"); ok {
		imp, err := first.Object(&s.imp)
		if err != nil {
			return errNoObject
		}
		f.ImpID, f.TagID, f.Secure = s.text(imp, "id"), s.text(imp, "tagid"), s.int(imp, "secure")
		if e := imp.FindKey("bidfloor", &s.element); e != nil {
			f.BidFloor, _ = e.Iter.Float()
		}
		if banner := s.object(imp, "banner", &s.banner); banner != nil {
			f.W, f.H = s.int(banner, "w"), s.int(banner, "h")
		}
	}
	if first, ok := s.first(root, "cur"); ok {
		f.Cur, _ = first.String()
	}
	if site := s.object(root, "site", &s.site); site != nil {
		f.Domain, f.Page = s.text(site, "domain"), s.text(site, "page")
	}
	if app := s.object(root, "app", &s.app); app != nil {
		f.Bundle = s.text(app, "bundle")
	}
	if device := s.object(root, "device", &s.device); device != nil {
		f.UA, f.IP, f.OS = s.text(device, "ua"), s.text(device, "ip"), s.text(device, "os")
		f.Language = s.text(device, "language")
		if geo := s.object(device, "geo", &s.geo); geo != nil {
			f.Country = s.text(geo, "country")
		}
	}
	if user := s.object(root, "user", &s.user); user != nil {
		f.UserID, f.BuyerUID = s.text(user, "id"), s.text(user, "buyeruid")
	}
	return nil
}

func (s *simdjsonState) text(o *simdjson.Object, key string) string {
	e := o.FindKey(key, &s.element)
	if e == nil {
		return ""
	}
	v, _ := e.Iter.String()
	return v
}

func (s *simdjsonState) int(o *simdjson.Object, key string) int {
	e := o.FindKey(key, &s.element)
	if e == nil {
		return 0
	}
	v, _ := e.Iter.Int()
	return int(v)
}

func (s *simdjsonState) object(o *simdjson.Object, key string, dst *simdjson.Object) *simdjson.Object {
	e := o.FindKey(key, &s.element)
	if e == nil {
		return nil
	}
	v, err := e.Iter.Object(dst)
	if err != nil {
		return nil
	}
	return v
}

func (s *simdjsonState) first(o *simdjson.Object, key string) (simdjson.Iter, bool) {
	e := o.FindKey(key, &s.element)
	if e == nil {
		return simdjson.Iter{}, false
	}
	return s.firstOf(&e.Iter)
}

// firstOf returns the first element of an array.
func (s *simdjsonState) firstOf(v *simdjson.Iter) (simdjson.Iter, bool) {
	array, err := v.Array(&s.array)
	if err != nil {
		return simdjson.Iter{}, false
	}
	i := array.Iter()
	return i, i.Advance() != simdjson.TypeNone
}
