// Package mmdbtest writes small databases in the MaxMind DB format, version 2.0, for tests: search
// trees for IPv4 and IPv6 with records of 24, 28 and 32 bits, and data of all types that country
// databases have. https://maxmind.github.io/MaxMind-DB/ is the specification.
package mmdbtest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
)

// Map is a map in the data.
type Map = map[string]any

// Slice is an array in the data.
type Slice = []any

// Pointer is a pointer to an offset in the data section.
type Pointer uint32

// Raw is data that is encoded already.
type Raw string

// Writer makes a database.
type Writer struct {
	// Type and Epoch are the type and the time of building in the metadata. Meta replaces values of
	// the metadata, or adds some; a nil value removes one.
	Type  string
	Epoch uint64
	Meta  Map

	ipVersion, recordSize int
	nodes                 [][2]ref
	data                  []byte
	offsets               map[string]uint32 // of encoded values
}

// ref is what a record of the tree points to: nothing, a node, or a value.
type ref struct {
	kind  byte // 0, 'n', 'v'
	index uint32
}

// New returns a Writer. The version of IP is 4 or 6, the size of records 24, 28 or 32 bits.
func New(ipVersion, recordSize int) *Writer {
	return &Writer{
		Type: "Test", ipVersion: ipVersion, recordSize: recordSize,
		nodes: make([][2]ref, 1), offsets: map[string]uint32{},
	}
}

// Add sets the value of a network and of all networks in it. IPv4 is at ::/96 in an IPv6 database.
func (w *Writer) Add(network string, value any) *Writer {
	w.set(network, ref{'v', w.offset(encode(value))})
	return w
}

// AddNode lets the tree continue at a node for the network: an alias, or a cycle.
func (w *Writer) AddNode(network string, node uint32) *Writer {
	w.set(network, ref{'n', node})
	return w
}

// NodeOf returns the node of a network. There must be one: networks inside it were added.
func (w *Writer) NodeOf(network string) uint32 {
	node := uint32(0)
	for _, b := range w.bits(network) {
		node = w.nodes[node][b].index
	}
	return node
}

// Data adds bytes to the data section, and returns their offset.
func (w *Writer) Data(text string) Pointer { return Pointer(w.offset(text)) }

func (w *Writer) offset(text string) uint32 {
	at, known := w.offsets[text]
	if !known {
		at = uint32(len(w.data))
		w.offsets[text] = at
		w.data = append(w.data, text...)
	}
	return at
}

// bits returns the path to a network in the tree.
func (w *Writer) bits(network string) (path []byte) {
	p := netip.MustParsePrefix(network)
	a, n := p.Addr().AsSlice(), p.Bits()
	if w.ipVersion == 6 && p.Addr().Is4() {
		a, n = append(make([]byte, 12), a...), n+96
	}
	for i := range n {
		path = append(path, a[i/8]>>(7-i%8)&1)
	}
	return path
}

func (w *Writer) set(network string, to ref) {
	path := w.bits(network)
	if len(path) == 0 {
		w.nodes[0] = [2]ref{to, to}
		return
	}
	node := uint32(0)
	for _, b := range path[:len(path)-1] {
		next := w.nodes[node][b]
		if next.kind != 'n' { // the networks inside keep what this one had
			w.nodes = append(w.nodes, [2]ref{next, next})
			next = ref{'n', uint32(len(w.nodes) - 1)}
			w.nodes[node][b] = next
		}
		node = next.index
	}
	w.nodes[node][path[len(path)-1]] = to
}

// Bytes returns the database.
func (w *Writer) Bytes() (out []byte) {
	for _, n := range w.nodes {
		out = w.appendNode(out, w.value(n[0]), w.value(n[1]))
	}
	out = append(out, make([]byte, 16)...)
	out = append(out, w.data...)
	meta := Map{
		"node_count": uint32(len(w.nodes)), "record_size": uint16(w.recordSize), "ip_version": uint16(w.ipVersion),
		"database_type": w.Type, "build_epoch": w.Epoch, "languages": Slice{"en"}, "description": Map{"en": "a test"},
		"binary_format_major_version": uint16(2), "binary_format_minor_version": uint16(0),
	}
	for k, v := range w.Meta {
		if meta[k] = v; v == nil {
			delete(meta, k)
		}
	}
	return append(append(out, "\xab\xcd\xefMaxMind.com"...), encode(meta)...)
}

// value returns what stands for a ref in the tree.
func (w *Writer) value(r ref) uint32 {
	switch r.kind {
	case 'n':
		return r.index
	case 'v':
		return uint32(len(w.nodes)) + 16 + r.index
	}
	return uint32(len(w.nodes))
}

func (w *Writer) appendNode(out []byte, left, right uint32) []byte {
	l, r := binary.BigEndian.AppendUint32(nil, left), binary.BigEndian.AppendUint32(nil, right)
	switch w.recordSize {
	case 24:
		return append(append(out, l[1:]...), r[1:]...)
	case 28:
		return append(append(append(out, l[1:]...), l[0]<<4|r[0]), r[1:]...)
	}
	return append(append(out, l...), r...)
}

// encode returns the bytes of a value in the data section.
func encode(value any) string {
	switch v := value.(type) {
	case Raw:
		return string(v)
	case string:
		return control(2, len(v)) + v
	case float64:
		return control(3, 8) + string(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
	case uint16:
		return control(5, 2) + string(binary.BigEndian.AppendUint16(nil, v))
	case uint32:
		return control(6, 4) + string(binary.BigEndian.AppendUint32(nil, v))
	case uint64:
		return control(9, 8) + string(binary.BigEndian.AppendUint64(nil, v))
	case bool:
		if v {
			return control(14, 1)
		}
		return control(14, 0)
	case Pointer:
		return "\x38" + string(binary.BigEndian.AppendUint32(nil, uint32(v)))
	case Map:
		var text strings.Builder
		text.WriteString(control(7, len(v)))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			text.WriteString(encode(k) + encode(v[k]))
		}
		return text.String()
	case Slice:
		var text strings.Builder
		text.WriteString(control(11, len(v)))
		for _, e := range v {
			text.WriteString(encode(e))
		}
		return text.String()
	}
	panic(fmt.Sprintf("a value of type %T", value))
}

// control returns the control byte of a value, with the bytes of its type and size.
func control(kind, size int) string {
	small, more := size, ""
	switch {
	case size >= 65821:
		n := size - 65821
		small, more = 31, string([]byte{byte(n >> 16), byte(n >> 8), byte(n)})
	case size >= 285:
		n := size - 285
		small, more = 30, string([]byte{byte(n >> 8), byte(n)})
	case size >= 29:
		small, more = 29, string([]byte{byte(size - 29)})
	}
	if kind > 7 {
		return string([]byte{byte(small), byte(kind - 7)}) + more
	}
	return string([]byte{byte(kind<<5 | small)}) + more
}
