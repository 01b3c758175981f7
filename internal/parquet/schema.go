package parquet

import (
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// columnsOf returns the columns of a row type, and the schema of the file, in depth-first order.
func columnsOf(row reflect.Type) (columns []*column, schema []format.SchemaElement) {
	schema = append(schema, group(row.Name(), row.NumField()))
	schema[0].RepetitionType = thrift.Null[format.FieldRepetitionType]{} // the root has none
	for i := range row.NumField() {
		field := row.Field(i)
		name, words := tagOf(field)
		if !slices.Contains(words, "list") {
			c, element := leaf(field)
			c.path, c.field = []string{name}, i
			columns, schema = append(columns, c), append(schema, element)
			continue
		}
		inner := field.Type.Elem()
		list, repeated := group(name, 1), group("list", 1)
		list.ConvertedType = thrift.New(deprecated.List)
		list.LogicalType = format.LogicalType{Value: new(format.ListType)}
		repeated.RepetitionType = thrift.New(format.Repeated)
		schema = append(schema, list, repeated, group("element", inner.NumField()))
		for k := range inner.NumField() {
			c, element := leaf(inner.Field(k))
			c.path, c.field, c.list, c.inner = []string{name, "list", "element", element.Name}, i, true, k
			columns, schema = append(columns, c), append(schema, element)
		}
	}
	return columns, schema
}

// tagOf returns the name of a field's column, and the other words of its tag.
func tagOf(field reflect.StructField) (name string, words []string) {
	words = strings.Split(field.Tag.Get("parquet"), ",")
	return words[0], words[1:]
}

func group(name string, children int) format.SchemaElement {
	return format.SchemaElement{
		Name: name, NumChildren: thrift.New(int32(children)), RepetitionType: thrift.New(format.Required),
	}
}

// leaf returns the column of a field that holds a string or a number.
func leaf(field reflect.StructField) (*column, format.SchemaElement) {
	name, words := tagOf(field)
	c := &column{optional: slices.Contains(words, "optional"), encoding: format.Plain}
	switch {
	case slices.Contains(words, "dict"):
		c.encoding = format.RLEDictionary
	case slices.Contains(words, "delta"):
		c.encoding = format.DeltaBinaryPacked
	}
	element := format.SchemaElement{Name: name, RepetitionType: thrift.New(format.Required)}
	if c.optional {
		element.RepetitionType = thrift.New(format.Optional)
	}
	kind := field.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	integer := func(of format.Type, bits int8, converted deprecated.ConvertedType) {
		c.kind = of
		element.TypeLength = thrift.New(int32(bits))
		element.ConvertedType = thrift.New(converted)
		element.LogicalType = format.LogicalType{Value: &format.IntType{BitWidth: bits, IsSigned: true}}
	}
	switch kind.Kind() {
	case reflect.String:
		c.kind = format.ByteArray
		element.ConvertedType = thrift.New(deprecated.UTF8)
		element.LogicalType = format.LogicalType{Value: new(format.StringType)}
	case reflect.Int32:
		integer(format.Int32, 32, deprecated.Int32)
	case reflect.Int64:
		integer(format.Int64, 64, deprecated.Int64)
	case reflect.Float64:
		c.kind = format.Double
		element.TypeLength = thrift.New(int32(64))
	default:
		panic("parquet: field " + field.Name + " has a type that no column has")
	}
	element.Type = thrift.New(c.kind)
	return c, element
}
