package geoip

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oschwald/maxminddb-golang/v2"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// with returns a good database with other metadata.
func with(meta object) []byte {
	w := small(6, 24)
	w.Meta = meta
	return w.Bytes()
}

// record returns a database with one record.
func record(v any) []byte { return mmdbtest.New(4, 24).Add("192.0.2.0/24", v).Bytes() }

// chain is a map in maps.
func chain(depth int) any {
	v := any("x")
	for range depth {
		v = object{"a": v}
	}
	return v
}

// oneNode returns a database of one node that points to itself, or elsewhere.
func oneNode(left, right uint32) []byte {
	w := mmdbtest.New(4, 24)
	w.Data("\x42DE")
	w.AddNode("0.0.0.0/1", left).AddNode("128.0.0.0/1", right)
	return w.Bytes()
}

// hostile are files that are refused, with a part of the error.
var hostile = map[string]struct {
	file []byte
	want string
}{
	"nothing":             {nil, "MaxMind DB"},
	"text":                {[]byte("<html>404</html>"), "MaxMind DB"},
	"the marker alone":    {marker, "offset"},
	"gzip":                {[]byte("\x1f\x8b\x08\x00"), "MaxMind DB"},
	"no metadata":         {append([]byte("xx"), append(marker, 0xe0)...), ""},
	"metadata, a string":  {append([]byte("xx"), append(marker, "\x42DE"...)...), ""},
	"metadata, huge map":  {append([]byte("xx"), append(marker, 0xff, 0xff, 0xff, 0xff)...), ""},
	"metadata, huge":      {with(object{"languages": mmdbtest.Raw("\x1f\x04\xff\xff\xff" + strings.Repeat("\x40", 1000))}), ""},
	"metadata, deep":      {with(object{"description": chain(600)}), ""},
	"metadata, a cycle":   {with(object{"description": mmdbtest.Pointer(0)}), ""},
	"no nodes":            {with(object{"node_count": uint32(0)}), "a tree that fits"},
	"no node count":       {with(object{"node_count": nil}), "a tree that fits"},
	"too many nodes":      {with(object{"node_count": uint32(1 << 31)}), ""},
	"far too many nodes":  {with(object{"node_count": uint64(1<<64 - 1)}), ""},
	"nodes that overflow": {with(object{"node_count": uint64(1 << 63)}), ""},
	"one node too many":   {with(object{"node_count": uint32(100_000)}), ""},
	"record size 0":       {with(object{"record_size": uint16(0), "ip_version": uint16(4)}), "24, 28 or 32"},
	"record size 25":      {with(object{"record_size": uint16(25), "ip_version": uint16(4)}), "24, 28 or 32"},
	"record size 64":      {with(object{"record_size": uint16(64), "ip_version": uint16(4)}), ""},
	"IP version 5":        {with(object{"ip_version": uint16(5)}), "IPv4 or IPv6"},
	"version 3":           {with(object{"binary_format_major_version": uint16(3)}), "version 2"},
	"a type, a number":    {with(object{"database_type": uint16(3)}), ""},

	"a cycle":               {oneNode(0, 0), "cycle"},
	"a pointer before data": {oneNode(2, 1), "outside"},
	"a pointer after data":  {oneNode(1+16+4, 1), ""},
	"a pointer far away":    {oneNode(1<<24-1, 1), ""},
	"a path of 33 bits":     {with(object{"ip_version": uint16(4)}), "longer than an address"},
	"no map":                {record(uint16(5)), "a record"},
	"an array":              {record(list{"DE"}), "a record"},
	"a pointer to itself":   {record(mmdbtest.Pointer(0)), "pointer"},
	"a country, a number":   {record(object{"country": uint16(5)}), `"country"`},
	"a code, a number":      {record(object{"country_code": uint16(5)}), `"country_code"`},
	"an iso code, a map":    {record(object{"country": object{"iso_code": object{}}}), `"country": "iso_code"`},
	"a country, an array":   {record(object{"registered_country": list{}}), `"registered_country"`},
	"traits, a string":      {record(object{"traits": "x"}), `"traits"`},
	"a trait, a map":        {record(object{"traits": object{"is_tor": object{}}}), `"traits": "is_tor": expected a boolean`},
	"a country in itself":   {record(object{"country": mmdbtest.Pointer(0)}), ""},
	"a long key":            {record(object{strings.Repeat("x", 300): mmdbtest.Raw("\xff")}), ""},
	"a key, a number":       {record(mmdbtest.Raw("\xe1\xa1\x05\x42DE")), ""},
	"a huge map":            {record(mmdbtest.Raw("\xff\xff\xff\xff")), "maxsize"},
	"too many fields":       {record(wide(fieldsMax + 1)), "maxsize"},
	"a huge string":         {record(object{"country": strings.Repeat("x", 2000)}), "maxsize"},
	"a string past the end": {record(object{"country_code": mmdbtest.Raw("\x5d\xff")}), ""},
	"an unknown type":       {record(object{"x": mmdbtest.Raw("\x00\xfb")}), ""},
	"a skipped value, cut":  {record(object{"x": mmdbtest.Raw("\x1f\x04\xff\xff\xff")}), ""},
	"no country, no trait":  {record(object{"autonomous_system_number": uint32(64496)}), `no record has a country, or a trait of an address (the type is "Test")`},
	"no networks":           {mmdbtest.New(4, 24).Bytes(), "no record"},
}

func wide(n int) object {
	m := object{}
	for i := range n {
		m[string(rune('A'+i))] = true
	}
	return m
}

func TestHostile(t *testing.T) {
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(c.file)
			if err == nil {
				t.Fatalf("accepted, with %d networks", d.Networks())
			}
			if errors.Is(err, errPanic) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 300 {
				t.Errorf("%v; want %q", err, c.want)
			}
			path := filepath.Join(t.TempDir(), "x.mmdb")
			if err := os.WriteFile(path, c.file, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path, Options{}); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%v does not name the file", err)
			}
		})
	}
}

// TestPathsOfAnAddress has paths as long as an address, and one bit more.
func TestPathsOfAnAddress(t *testing.T) {
	w := mmdbtest.New(6, 24)
	w.Add("2001:db8::1/128", "DE")
	expect(t, parse(t, w), "2001:db8::1", lookup.AddressInfo{Country: code("DE")})
	w.AddNode("2001:db8::2/128", w.NodeOf("2001:db8::/127"))
	if _, err := Parse(w.Bytes()); err == nil || !strings.Contains(err.Error(), "longer than an address") {
		t.Errorf("129 bits: %v", err)
	}
	// A subtree that is short where it is met first, and too deep where it is met again.
	w = mmdbtest.New(6, 24)
	w.Add("::/127", "DE").Add("::1/128", "FR")
	w.AddNode("8000::/124", w.NodeOf("::/120")) // 132 bits
	if _, err := Parse(w.Bytes()); err == nil || !strings.Contains(err.Error(), "longer than an address") {
		t.Errorf("a subtree too deep: %v", err)
	}
}

// TestSharedSubtrees has a tree with 2 to the power of 32 paths.
func TestSharedSubtrees(t *testing.T) {
	w := mmdbtest.New(4, 24)
	w.Add("0.0.0.0/32", "DE").Add("0.0.0.1/32", "FR")
	for bits := range 31 {
		zero := netip.AddrFrom4([4]byte{})
		node := w.NodeOf(netip.PrefixFrom(zero, bits+1).String())
		one := [4]byte{}
		one[bits/8] = 1 << (7 - bits%8)
		w.AddNode(netip.PrefixFrom(netip.AddrFrom4(one), bits+1).String(), node)
	}
	if _, err := Parse(w.Bytes()); !errors.Is(err, errShared) {
		t.Errorf("%v", err)
	}
}

// TestSlow has records that take more time than a file is given.
func TestSlow(t *testing.T) {
	file := small(4, 24).Bytes()
	if _, err := parseWithin(file, 0); !errors.Is(err, errSlow) {
		t.Errorf("no time: %v", err)
	}
}

// TestTruncated cuts a database at every byte.
func TestTruncated(t *testing.T) {
	file := small(6, 28).Bytes()
	for n := range len(file) {
		if d, err := Parse(file[:n]); err == nil {
			t.Errorf("%d of %d bytes are accepted, with %d networks", n, len(file), d.Networks())
		}
	}
}

// TestMutated changes bytes of databases: whatever is accepted can be asked.
func TestMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	n := testkit.Scale(t, 1000, 4000, 1_000_000)
	for i := range n {
		file := small([]int{4, 6}[i%2], []int{24, 28, 32}[i%3]).Bytes()
		for range 1 + rng.IntN(4) {
			file[rng.IntN(len(file))] = byte(rng.IntN(256))
		}
		accepted += ask(t, file)
	}
	if accepted < n/20 || accepted > n*19/20 {
		t.Errorf("%d of %d are accepted", accepted, n)
	}
}

// ask parses a file and looks addresses up. It returns 1 if the file is accepted.
func ask(tb testing.TB, file []byte) int {
	tb.Helper()
	before := bytes.Clone(file)
	d, err := Parse(file)
	if !bytes.Equal(file, before) {
		tb.Error("the file was changed")
	}
	if errors.Is(err, errPanic) {
		tb.Error(err)
	}
	if err != nil {
		return 0
	}
	clear(file) // nothing refers to it
	oracle, err := maxminddb.OpenBytes(before)
	if err != nil {
		tb.Fatalf("accepted, but not by maxminddb: %v", err)
	}
	for _, a := range []string{"0.0.0.0", "10.0.0.1", "192.0.2.77", "255.255.255.255", "::", "2001:db8::1", "ffff::"} {
		r, found := d.Lookup(addr(a))
		if addr(a).Is6() && oracle.Metadata.IPVersion == 4 {
			continue
		}
		result := oracle.Lookup(addr(a))
		if result.Err() != nil || found && !result.Found() {
			tb.Errorf("%s: %v, but maxminddb has %v, %v", a, r, result.Found(), result.Err())
		}
	}
	return 1
}

func FuzzParse(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.file)
	}
	for _, ipVersion := range []int{4, 6} {
		f.Add(small(ipVersion, 24).Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) { ask(t, file) })
}
