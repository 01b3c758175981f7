package scrub_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/scrub"
)

// tree is a document as encoding/json reads it, with all copies of its members and the spelling of
// keys and scalars. It is the oracle: it is scrubbed in a slow and clear way.
type tree struct {
	kind    byte   // '{', '[' or 0 for a scalar
	raw     string // of a scalar
	keys    []key
	members []*tree
	removed bool

	from, to int // in the text
}

type key struct{ name, raw string }

// treeOf reads a valid document.
func treeOf(text string) *tree {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return readTree(d, text)
}

// token reads a token and its text.
func token(d *json.Decoder, all string) (json.Token, string) {
	from := int(d.InputOffset())
	tok, err := d.Token()
	if err != nil {
		panic(err)
	}
	return tok, strings.TrimLeft(all[from:d.InputOffset()], " \t\r\n,:")
}

func readTree(d *json.Decoder, all string) *tree {
	tok, raw := token(d, all)
	open, ok := tok.(json.Delim)
	end := int(d.InputOffset())
	if !ok {
		return &tree{raw: raw, from: end - len(raw), to: end}
	}
	n := &tree{kind: byte(open), from: end - 1}
	for d.More() {
		k := key{}
		if open == '{' {
			var name json.Token
			name, k.raw = token(d, all)
			k.name, _ = name.(string)
		}
		n.keys, n.members = append(n.keys, k), append(n.members, readTree(d, all))
	}
	token(d, all)
	n.to = int(d.InputOffset())
	return n
}

// String writes the tree without white space.
func (n *tree) String() string {
	if n.kind == 0 {
		return n.raw
	}
	var parts []string
	for i, m := range n.members {
		if m.removed {
			continue
		}
		text := m.String()
		if n.kind == '{' {
			text = n.keys[i].raw + ":" + text
		}
		parts = append(parts, text)
	}
	return string(n.kind) + strings.Join(parts, ",") + string(n.kind+2)
}

// split calls a function with every scalar of the tree, without quotes and escapes.
func (n *tree) split(removed bool, visit func(text string, removed bool)) {
	removed = removed || n.removed
	if n.kind == 0 {
		visit(plain(n.raw), removed)
	}
	for _, m := range n.members {
		m.split(removed, visit)
	}
}

// plain returns the text of a scalar without quotes and escapes.
func plain(raw string) string {
	if raw[0] != '"' {
		return raw
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	return s
}

const every = "*"

// task is an operation with what is left of its pointer.
type task struct {
	names []string
	kind  string // remove, replace, hash, truncate
	at    string // the whole pointer
	spec  *scrub.Spec
	value string
}

// strength orders the kinds of tasks.
var strength = []string{"remove", "replace", "hash", "truncate"}

// legacyPlaces are the places of each legacy field, written by hand; TestLegacyTable compares them
// with the table of package legacy.
var legacyPlaces = [][]string{
	{"/user/eids", "/user/ext/eids"},
	{"/user/consent", "/user/ext/consent"},
	{"/regs/gdpr", "/regs/ext/gdpr"},
	{"/regs/us_privacy", "/regs/ext/us_privacy"},
	{"/regs/gpp", "/regs/ext/gpp"},
	{"/regs/gpp_sid", "/regs/ext/gpp_sid"},
	{"/source/schain", "/source/ext/schain", "/ext/schain"},
	{"/imp/*/rwdd", "/imp/*/ext/prebid/is_rewarded_inventory"},
	{"/site/inventorypartnerdomain", "/site/ext/inventorypartnerdomain"},
	{"/app/inventorypartnerdomain", "/app/ext/inventorypartnerdomain"},
	{"/user/data/*/cids", "/user/data/*/ext/cids"},
	{"/site/content/data/*/cids", "/site/content/data/*/ext/cids"},
	{"/app/content/data/*/cids", "/app/content/data/*/ext/cids"},
	{"/dooh/content/data/*/cids", "/dooh/content/data/*/ext/cids"},
}

// tasksOf returns what a spec is to do, at all places.
func tasksOf(s *scrub.Spec) (list []task) {
	add := func(kind, at, value string) {
		list = append(list, task{names(at), kind, at, s, value})
		for _, group := range legacyPlaces {
			for _, from := range group {
				if rest, ok := strings.CutPrefix(at+"/", from+"/"); ok {
					for _, to := range group {
						if to != from {
							other := strings.TrimSuffix(to+"/"+rest, "/")
							list = append(list, task{names(other), kind, other, s, value})
						}
					}
				}
			}
		}
		if at == "/source" { // holds a value that has a place elsewhere
			list = append(list, task{names("/ext/schain"), "remove", "/ext/schain", s, ""})
		}
	}
	for _, at := range s.Remove {
		add("remove", at, "")
	}
	for _, r := range s.Replace {
		add("replace", r.Path, string(r.Value))
	}
	for _, at := range s.Hash {
		add("hash", at, "")
	}
	for _, at := range s.Truncate {
		if strings.HasSuffix(at, "/geo") {
			add("geo", at, "")
			add("truncate", at+"/lat", "")
			add("truncate", at+"/lon", "")
		} else {
			add("truncate", at, "")
		}
	}
	return list
}

func names(pointer string) (list []string) {
	for _, element := range strings.Split(pointer, "/")[1:] {
		list = append(list, strings.NewReplacer("~1", "/", "~0", "~").Replace(element))
	}
	return list
}

// scrubbed scrubs the tree in place.
func (n *tree) scrubbed(specs []scrub.Spec, on []bool) *oracle {
	var tasks []task
	for i := range specs {
		if i >= len(on) || on[i] {
			tasks = append(tasks, tasksOf(&specs[i])...)
		}
	}
	o := &oracle{removed: map[string]bool{}}
	o.visit(n, "", tasks, false)
	o.sweep(n, "")
	return o
}

// oracle is what was done to a tree.
type oracle struct {
	removed map[string]bool // paths
	set     []span          // values with new ones
}

type span struct {
	from, to int
	text     string
}

// visit carries out tasks on a value. copied says that a key on its path comes twice.
func (o *oracle) visit(n *tree, path string, tasks []task, copied bool) {
	var now []task
	for _, t := range tasks {
		if len(t.names) == 0 {
			now = append(now, t)
		}
	}
	for _, kind := range strength {
		if i := slices.IndexFunc(now, func(t task) bool { return t.kind == kind }); i >= 0 {
			o.carryOut(n, path, now[i], now, copied)
			return
		}
	}
	if len(now) > 0 && n.kind != '{' { // a geo
		if n.raw != "null" {
			o.removed[path] = true
		}
		return
	}
	elements, members := false, false
	for _, t := range tasks {
		elements = elements || len(t.names) > 0 && t.names[0] == every
		members = members || len(t.names) > 0 && t.names[0] != every
	}
	below := func(fits func(name string) bool) (list []task) {
		for _, t := range tasks {
			if len(t.names) > 0 && fits(t.names[0]) {
				t.names = t.names[1:]
				list = append(list, t)
			}
		}
		return list
	}
	ofEvery := below(func(name string) bool { return name == every })
	switch {
	case n.kind == '{' && members:
		for i, m := range n.members {
			name, again := n.keys[i].name, 0
			for _, k := range n.keys {
				if strings.EqualFold(upToNUL(k.name), upToNUL(name)) {
					again++
				}
			}
			of := below(func(other string) bool { return other != every && strings.EqualFold(other, upToNUL(name)) })
			if len(of) > 0 {
				o.visit(m, path+"/"+escaped(name), of, copied || again > 1)
			}
		}
	case n.kind == '[' && elements:
		for i, m := range n.members {
			o.visit(m, path+"/"+strconv.Itoa(i), ofEvery, copied)
		}
	case elements:
		o.visit(n, path, ofEvery, copied)
	}
}

// upToNUL is what a reader in C sees of a text.
func upToNUL(s string) string { return strings.Split(s, "\x00")[0] }

func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// carryOut carries out one task, or all truncations among the tasks.
func (o *oracle) carryOut(n *tree, path string, t task, all []task, copied bool) {
	raw, kept := n.raw, true
	switch t.kind {
	case "remove":
		kept = false
	case "replace":
		raw = t.value
	default:
		if n.raw == "null" {
			return
		}
		kept = n.kind == 0 && n.raw[0] != 't' && n.raw[0] != 'f'
		if kept && t.kind == "hash" {
			raw = pseudonym(t.spec.Key, n.raw)
		} else if kept {
			raw, kept = truncated(n.raw, t.at, all)
		}
	}
	if kept && raw == n.raw && t.kind != "replace" {
		return
	}
	if kept && !copied {
		o.set = append(o.set, span{n.from, n.to, raw})
		*n = *treeOf(raw)
		return
	}
	o.removed[path] = true
}

// sweep removes every copy of what is removed.
func (o *oracle) sweep(n *tree, path string) {
	n.removed = o.removed[path]
	for i, m := range n.members {
		name := strconv.Itoa(i)
		if n.kind == '{' {
			name = escaped(n.keys[i].name)
		}
		o.sweep(m, path+"/"+name)
	}
}

func pseudonym(key []byte, raw string) string {
	s := upToNUL(plain(raw))
	if raw[0] == '"' && strings.Count(s, "0")+strings.Count(s, "-") == len(s) {
		return raw
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(s))
	return `"` + hex.EncodeToString(mac.Sum(nil))[:scrub.PseudonymLen] + `"`
}

// truncated is the scalar as the truncations leave it.
func truncated(raw, at string, all []task) (text string, ok bool) {
	ipv4, ipv6, decimals := 32, 128, 99
	for _, t := range all {
		if t.kind != "truncate" {
			continue
		}
		d := scrub.DecimalsDefault
		if t.spec.Decimals != nil {
			d = *t.spec.Decimals
		}
		four, six := t.spec.IPv4Bits, t.spec.IPv6Bits
		if four == 0 {
			four = scrub.IPv4BitsDefault
		}
		if six == 0 {
			six = scrub.IPv6BitsDefault
		}
		ipv4, ipv6, decimals = min(ipv4, four), min(ipv6, six), min(decimals, d)
	}
	isCoordinate, isAddress := true, true
	if !strings.Contains(at, "/ext") {
		isCoordinate = strings.HasSuffix(at, "/lat") || strings.HasSuffix(at, "/lon")
		isAddress = !isCoordinate
	}
	switch {
	case raw == `""` && isAddress:
		return raw, true
	case raw[0] == '"' && isAddress:
		return truncatedAddress(raw, ipv4, ipv6)
	case raw[0] != '"' && isCoordinate:
		limit := 180.0
		if at[len(at)-4:] == "/lat" && !strings.Contains(at, "/ext") {
			limit = 90
		}
		return truncatedCoordinate(raw, limit, decimals)
	}
	return "", false
}

var nat64 = net.IPNet{IP: net.ParseIP("64:ff9b::"), Mask: net.CIDRMask(96, 128)}

func truncatedAddress(raw string, ipv4, ipv6 int) (string, bool) {
	text := plain(raw)
	ip := net.ParseIP(text)
	if ip == nil {
		return "", false
	}
	head, bits, size := "", ipv6, 128
	switch {
	case ip.To4() != nil:
		if strings.Contains(text, ":") {
			head = "::ffff:"
		}
		ip, bits, size = ip.To4(), ipv4, 32
	case ip[0] == 0x20 && ip[1] == 0x02:
		bits = min(ipv6, 16+ipv4)
	case bytes.HasPrefix(ip, []byte{0x20, 1, 0, 0}) && !bytes.Equal(ip[12:], make([]byte, 4)), nat64.Contains(ip):
		bits = min(ipv6, 96+ipv4)
	}
	short := ip.Mask(net.CIDRMask(bits, size))
	if short.Equal(ip) {
		return raw, true
	}
	return `"` + head + short.String() + `"`, true
}

func truncatedCoordinate(raw string, limit float64, decimals int) (string, bool) {
	v, err := strconv.ParseFloat(raw, 64)
	if err != nil || v > limit || v < -limit {
		return "", false
	}
	text, point := raw, strings.IndexByte(raw, '.')
	if strings.ContainsAny(raw, "eE") {
		text = strconv.FormatFloat(v, 'f', -1, 64)
		point = strings.IndexByte(text, '.')
	}
	if point < 0 || len(text)-point-1 <= decimals {
		return text, true
	}
	text = text[:point+1+decimals]
	if strings.Trim(text, "-0.") == "" {
		return "0", true
	}
	return strings.TrimSuffix(text, "."), true
}
