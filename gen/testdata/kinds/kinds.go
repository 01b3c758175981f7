// Package kinds has a field of each kind that a codec can be written for. Its codec is not committed: TestKinds of
// package gen generates it and runs the tests here with it.
package kinds

import (
	"encoding/json"
	"time"

	"github.com/rtbwire/rtbwire/gen/testdata/other"
)

// Types of our own on basic ones.
type (
	Text   string
	Number int
	Tiny   int8
	Wide   uint64
	Ratio  float64
	Half   float32
	Flag   bool
)

// Alias is another name of a type.
type Alias = Number

// Root has everything.
type Root struct {
	Scalars  Scalars   `json:"scalars"`
	Pointers *Pointers `json:"pointers,omitempty"`
	Slices   *Slices   `json:"slices,omitempty"`
	Named    *Named    `json:"named,omitzero"`
	Objects  *Objects  `json:"objects"`
	Keys     *Keys     `json:"keys"`
	Hundred  *Hundred  `json:"hundred"`
	Many     []Small   `json:"many"`
	Omitted  *Omitted  `json:"omitted,omitempty,omitzero"`

	Ignored  chan int `json:"-"`
	hidden   func()
	Untagged string
}

// Scalars are the basic types.
type Scalars struct {
	String  string  `json:"string"`
	Int     int     `json:"int"`
	Int8    int8    `json:"int8"`
	Int16   int16   `json:"int16"`
	Int32   int32   `json:"int32"`
	Int64   int64   `json:"int64"`
	Uint    uint    `json:"uint"`
	Uint8   uint8   `json:"uint8"`
	Uint16  uint16  `json:"uint16"`
	Uint32  uint32  `json:"uint32"`
	Uint64  uint64  `json:"uint64"`
	Float32 float32 `json:"float32"`
	Float64 float64 `json:"float64"`
	Bool    bool    `json:"bool"`
	Byte    byte    `json:"byte"`
	Rune    rune    `json:"rune"`

	Raw json.RawMessage `json:"raw"`
}

// Pointers are pointers to the basic types.
type Pointers struct {
	String  *string  `json:"string"`
	Int     *int     `json:"int"`
	Int8    *int8    `json:"int8"`
	Int16   *int16   `json:"int16"`
	Int32   *int32   `json:"int32"`
	Int64   *int64   `json:"int64"`
	Uint    *uint    `json:"uint"`
	Uint8   *uint8   `json:"uint8"`
	Uint16  *uint16  `json:"uint16"`
	Uint32  *uint32  `json:"uint32"`
	Uint64  *uint64  `json:"uint64"`
	Float32 *float32 `json:"float32"`
	Float64 *float64 `json:"float64"`
	Bool    *bool    `json:"bool"`
	Byte    *byte    `json:"byte"`
	Rune    *rune    `json:"rune"`
}

// Slices are slices of the basic types. There is no slice of bytes: to encoding/json it is text.
type Slices struct {
	String  []string  `json:"string"`
	Int     []int     `json:"int"`
	Int8    []int8    `json:"int8"`
	Int16   []int16   `json:"int16"`
	Int32   []int32   `json:"int32"`
	Int64   []int64   `json:"int64"`
	Uint    []uint    `json:"uint"`
	Uint16  []uint16  `json:"uint16"`
	Uint32  []uint32  `json:"uint32"`
	Uint64  []uint64  `json:"uint64"`
	Float32 []float32 `json:"float32"`
	Float64 []float64 `json:"float64"`
	Bool    []bool    `json:"bool"`
	Rune    []rune    `json:"rune"`
}

// Named are defined types, of this package and of others, in each shape.
type Named struct {
	Text   Text   `json:"text"`
	Number Number `json:"number"`
	Tiny   Tiny   `json:"tiny"`
	Wide   Wide   `json:"wide"`
	Ratio  Ratio  `json:"ratio"`
	Half   Half   `json:"half"`
	Flag   Flag   `json:"flag"`
	Alias  Alias  `json:"alias"`

	PText   *Text   `json:"ptext"`
	PNumber *Number `json:"pnumber"`
	PTiny   *Tiny   `json:"ptiny"`
	PWide   *Wide   `json:"pwide"`
	PRatio  *Ratio  `json:"pratio"`
	PHalf   *Half   `json:"phalf"`
	PFlag   *Flag   `json:"pflag"`

	SText   []Text   `json:"stext"`
	SNumber []Number `json:"snumber"`
	STiny   []Tiny   `json:"stiny"`
	SWide   []Wide   `json:"swide"`
	SRatio  []Ratio  `json:"sratio"`
	SHalf   []Half   `json:"shalf"`
	SFlag   []Flag   `json:"sflag"`

	Level   other.Level    `json:"level"`
	PLevel  *other.Level   `json:"plevel"`
	SLevel  []other.Level  `json:"slevel"`
	SWeight []other.Weight `json:"sweight"`
	SWord   []other.Word   `json:"sword"`

	Duration  time.Duration   `json:"duration"`
	Durations []time.Duration `json:"durations"`
}

// Objects are structs in each shape, some of them recursive.
type Objects struct {
	Small    Small     `json:"small"`
	PSmall   *Small    `json:"psmall"`
	SSmall   []Small   `json:"ssmall"`
	SPSmall  []*Small  `json:"spsmall"`
	Zero     Zero      `json:"zero"`
	PZero    *Zero     `json:"pzero"`
	SZero    []Zero    `json:"szero"`
	Tree     *Tree     `json:"tree"`
	Trees    []Tree    `json:"trees"`
	PTrees   []*Tree   `json:"ptrees"`
	Even     *Even     `json:"even"`
	Embedder Embedder  `json:"embedder"`
	Long     *LongKeys `json:"long"`
}

// Small has one field.
type Small struct {
	A int `json:"a"`
}

// Zero has none.
type Zero struct{}

// Tree is recursive in each way that a type can be.
type Tree struct {
	Name   string  `json:"name"`
	Left   *Tree   `json:"left"`
	Kids   []Tree  `json:"kids"`
	Others []*Tree `json:"others"`
	Ints   []int   `json:"ints"`
}

// Even contains itself by way of Odd.
type Even struct {
	Odd *Odd `json:"odd"`
	N   *int `json:"n"`
}

// Odd contains itself by way of Even.
type Odd struct {
	Evens []Even `json:"evens"`
}

// Embedder has the fields of others as its own.
type Embedder struct {
	First string `json:"first"`
	Inner
	Kept `json:"kept"`
	Last string `json:"last"`
}

// Inner is embedded, and embeds.
type Inner struct {
	Innermost
	B string `json:"b"`
}

// Innermost is two levels in.
type Innermost struct {
	C *float64 `json:"c"`
	D []Small  `json:"d"`
}

// Kept is embedded under a name, so that it is an object of its own.
type Kept struct {
	E int `json:"e"`
}

// LongKeys has only keys that are too long to be guessed.
type LongKeys struct {
	A string `json:"a_key_that_is_longer_than_what_is_compared_in_place_1"`
	B string `json:"a_key_that_is_longer_than_what_is_compared_in_place_2"`
}

// Omitted has each kind under the options that leave members out.
type Omitted struct {
	Empty        []int    `json:"empty,omitempty"`
	Zero         []int    `json:"zero,omitzero"`
	Both         []int    `json:"both,omitempty,omitzero"`
	EmptyObjects []Small  `json:"emptyobjects,omitempty"`
	ZeroObjects  []*Small `json:"zeroobjects,omitzero"`
	Object       Small    `json:"object,omitempty"`
	Pointer      *int     `json:"pointer,omitempty"`
	ZeroPointer  *int     `json:"zeropointer,omitzero"`
	Text         string   `json:"text,omitempty"`
	Flag         bool     `json:"flag,omitzero"`
	Number       Number   `json:"number,omitempty"`
}

// Keys are names that are hard: for the language, for JSON pointers, for the hash.
type Keys struct {
	Type   int `json:"type"`
	Case1  int `json:"id"`
	Case2  int `json:"ID"`
	Case3  int `json:"Id"`
	Minus  int `json:"-,"`
	Dollar int `json:"$ref"`
	At     int `json:"@id"`
	Dots   int `json:"a.b.c"`
	Slash  int `json:"a/b"`
	Tilde  int `json:"a~b"`
	Blank  int `json:"a b"`
	Colon  int `json:"a:b"`
	Brace  int `json:"{}"`
	Accent int `json:"é"`
	Greek  int `json:"λόγος"`
	Digits int `json:"0"`
	Umlaut int
	Größe  int

	// The hash reads the first and the last 8 bytes of a name and its length.
	Middle1 int `json:"customer_1_identifier"`
	Middle2 int `json:"customer_2_identifier"`
	Middle3 int `json:"customer_3_identifier"`

	Prefix1 int `json:"k"`
	Prefix2 int `json:"ke"`
	Prefix3 int `json:"key"`
	Prefix4 int `json:"keyed"`
	Prefix5 int `json:"keyedword"`
}
