package mmdbtest

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/oschwald/maxminddb-golang/v2"
)

// TestWriter reads databases with another implementation, and verifies all of their structure.
func TestWriter(t *testing.T) {
	value := Map{
		"string": strings.Repeat("x", 40), "long": strings.Repeat("y", 400), "longest": strings.Repeat("z", 70_000),
		"float": 1.5, "uint16": uint16(1 << 15), "uint32": uint32(1 << 31), "uint64": uint64(1 << 63),
		"true": true, "false": false, "array": Slice{"a", uint16(1)}, "pointer": Pointer(0), "map": Map{"a": Map{}},
	}
	want := map[string]any{
		"string": strings.Repeat("x", 40), "long": strings.Repeat("y", 400), "longest": strings.Repeat("z", 70_000),
		"float": 1.5, "uint16": uint64(1 << 15), "uint32": uint64(1 << 31), "uint64": uint64(1 << 63),
		"true": true, "false": false, "array": []any{"a", uint64(1)}, "pointer": "shared", "map": map[string]any{"a": map[string]any{}},
	}
	for _, ipVersion := range []int{4, 6} {
		for _, recordSize := range []int{24, 28, 32} {
			t.Run(fmt.Sprint(ipVersion, recordSize), func(t *testing.T) {
				w := New(ipVersion, recordSize)
				w.Type, w.Epoch = "A type", 5
				w.Add("198.51.100.0/24", "shared") // at offset 0
				w.Add("192.0.2.0/24", value).Add("192.0.2.0/25", Map{"n": uint16(1)}).Add("10.0.0.0/8", value)
				if ipVersion == 6 {
					w.Add("2001:db8::/32", value)
					w.AddNode("2002::/16", w.NodeOf("0.0.0.0/0"))
				}
				r, err := maxminddb.OpenBytes(w.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				if err := r.Verify(); err != nil {
					t.Error(err)
				}
				if r.Metadata.DatabaseType != "A type" || r.Metadata.BuildEpoch != 5 {
					t.Errorf("%+v", r.Metadata)
				}
				var got any
				if err := r.Lookup(netip.MustParseAddr("192.0.2.200")).Decode(&got); err != nil || !reflect.DeepEqual(got, any(want)) {
					t.Errorf("%v, %v", got, err)
				}
				if err := r.Lookup(netip.MustParseAddr("192.0.2.1")).Decode(&got); err != nil || fmt.Sprint(got) != "map[n:1]" {
					t.Errorf("%v, %v", got, err)
				}
			})
		}
	}
}
