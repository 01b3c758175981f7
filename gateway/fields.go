package gateway

import "bytes"

// The headers that are ours. Inbound ones with the prefix are removed, so that the core can trust
// what it gets.
const (
	headerVersion   = "X-Openrtb-Version"
	headerRequestID = "X-Request-Id"

	headerPrefix    = "X-Rtbwire-"
	headerAction    = headerPrefix + "Action"    // forward; in shadow mode also refuse
	headerScore     = headerPrefix + "Score"     // the fraud score
	headerPartner   = headerPrefix + "Partner"   // the partner, if there is one
	headerReason    = headerPrefix + "Reason"    // what refuses, or would if it was not observed
	headerNBR       = headerPrefix + "Nbr"       // the no-bid reason that belongs to it
	headerMirror    = headerPrefix + "Mirror"    // the request is a copy, whose answer is ignored
	headerResponses = headerPrefix + "Responses" // whether the answer is inspected, and in which mode
)

// Names of fields as SetCanonical takes them, which does not normalize them again.
var (
	nameVersion   = []byte(headerVersion)
	nameRequestID = []byte(headerRequestID)
)

// headerKind says what becomes of a header on its way to the upstream.
type headerKind int

const (
	headerPasses  headerKind = iota
	headerHop                // about one connection (RFC 9110, section 7.6.1)
	headerOptions            // Connection, which names others of that kind
	headerOurs               // X-Rtbwire-*
	headerProxy              // what only trusted proxies may say
)

// kindOf returns the kind of a header.
func kindOf(name []byte) headerKind {
	switch string(name) {
	case "Connection":
		return headerOptions
	case "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect":
		return headerHop
	case "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-Ip", "Forwarded":
		return headerProxy
	}
	if len(name) >= len(headerPrefix) && name[0]|0x20 == 'x' && oursByPrefix(name[:len(headerPrefix)]) {
		return headerOurs
	}
	if bytes.IndexByte(name, '_') >= 0 && proxyByUnderscores(name) {
		return headerHop
	}
	return headerPasses
}

// proxyByUnderscores reports whether a name with underscores spells a header that only trusted
// proxies may send: CGI and similar interfaces read X_Forwarded_For as the same header.
func proxyByUnderscores(name []byte) bool {
	var plain [len("X-Forwarded-Proto")]byte
	if len(name) > len(plain) {
		return false
	}
	for i, c := range name {
		if c == '_' {
			c = '-'
		}
		plain[i] = c
	}
	for _, proxy := range proxyHeaders {
		if bytes.EqualFold(plain[:len(name)], proxy) {
			return true
		}
	}
	return false
}

// proxyHeaders are those with more than one word.
var proxyHeaders = [][]byte{
	[]byte("X-Forwarded-For"), []byte("X-Forwarded-Host"), []byte("X-Forwarded-Proto"), []byte("X-Forwarded-Port"), []byte("X-Real-Ip"),
}

// oursByPrefix compares with the prefix of our headers, in any case, and with underscores: to CGI
// and its kin X_Rtbwire_Score is the same header.
func oursByPrefix(name []byte) bool {
	for i := range len(headerPrefix) {
		c, want := name[i]|0x20, headerPrefix[i]|0x20
		if c != want && !(headerPrefix[i] == '-' && name[i] == '_') {
			return false
		}
	}
	return true
}

// fieldNames is a list of names of fields. It keeps its memory when it is cut to length 0.
type fieldNames [][]byte

// add adds a copy of a name.
func (l *fieldNames) add(name []byte) {
	n := len(*l)
	if n < cap(*l) {
		*l = (*l)[:n+1]
		(*l)[n] = append((*l)[n][:0], name...)
		return
	}
	*l = append(*l, bytes.Clone(name))
}

// addOptions adds the names in a value of Connection.
func (l *fieldNames) addOptions(value []byte) {
	for len(value) > 0 {
		name := value
		if i := bytes.IndexByte(value, ','); i >= 0 {
			name, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		if name = bytes.TrimSpace(name); len(name) > 0 {
			l.add(name)
		}
	}
}

// has reports whether the list has a name, in any case.
func (l fieldNames) has(name []byte) bool {
	for _, other := range l {
		if bytes.EqualFold(name, other) {
			return true
		}
	}
	return false
}
