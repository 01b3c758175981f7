package guard

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// This file is a second implementation of what the guard refuses. It has the whole input as a
// string, and is written to be compared with the table of the package, not to be fast.

// message is a message that passes.
type message struct {
	method, target, version string
	fields                  [][2]string
	body                    string
	trailers                [][2]string
	from, end               int // in the input
}

// reading is what the reference makes of an input.
type reading struct {
	messages []message
	code     string // of the refusal after them
	from     int    // where the refused message begins
	bad      int    // the first byte that must not be handed on
}

// reference reads an input to its end.
func reference(s string, o Options) (r reading) {
	for r.from < len(s) {
		m, n, inHead, code := refMessage(s[r.from:], o)
		if code != "" {
			if r.code, r.bad = code, r.from+n; inHead {
				r.bad = r.from
			}
			return r
		}
		m.from, m.end = r.from, r.from+n
		r.messages, r.from = append(r.messages, m), r.from+n
	}
	r.bad = len(s)
	return r
}

// refMessage reads the message that s begins with, and how long it is or where it goes wrong.
func refMessage(s string, o Options) (m message, n int, inHead bool, code string) {
	switch {
	case s[0] == 0x16:
		return m, 0, true, "protocol.tls"
	case s[0] == '\r' || s[0] == '\n':
		return m, 0, true, "head.blank-line"
	case control(([]byte)(s[:1])) >= 0:
		return m, 0, true, "head.control"
	case !tokenRE.MatchString(s[:1]):
		return m, 0, true, "line.method"
	}
	window := s[:min(len(s), o.HeadBytes)]
	for first := true; ; first = false {
		line, rest, complete := strings.Cut(window[n:], "\n")
		switch {
		case !complete && len(s) < o.HeadBytes:
			return m, n, true, "head.truncated"
		case !complete && first:
			return m, n, true, "target.size"
		case !complete:
			return m, n, true, "head.size"
		case !strings.HasSuffix(line, "\r"):
			return m, n, true, "head.bare-lf"
		}
		n = len(window) - len(rest)
		line = strings.TrimSuffix(line, "\r")
		switch {
		case first:
			code = m.requestLine(line, o)
		case line == "":
			if code = m.whole(o); code != "" {
				return m, n, true, code
			}
			length, code := m.readBody(s[n:], o)
			return m, n + length, false, code
		default:
			code = m.field(line, o)
		}
		if code != "" {
			return m, n, true, code
		}
	}
}

const tchar = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]"

var (
	tokenRE     = regexp.MustCompile(`^` + tchar + `+$`)
	methodRE    = regexp.MustCompile(`^` + tchar + `{1,32}$`)
	controlRE   = regexp.MustCompile(`[\x00-\x08\x0a-\x1f\x7f]`)
	versionRE   = regexp.MustCompile(`^HTTP/([0-9])\.[0-9]$`)
	absoluteRE  = regexp.MustCompile(`^[Hh][Tt][Tt][Pp][Ss]?://([^/?]*)(.*)$`)
	charsRE     = regexp.MustCompile(`^[!"$-\[\]-~]*$`)
	chunkedRE   = regexp.MustCompile(`^[Cc][Hh][Uu][Nn][Kk][Ee][Dd]$`) // (?i) would take the Kelvin sign for a k
	escapeRE    = regexp.MustCompile(`^([^%]|%[0-9A-Fa-f]{2})*$`)
	hostRE      = regexp.MustCompile(`^([0-9A-Za-z._-]+|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?$`)
	fieldRE     = regexp.MustCompile(`^(` + tchar + `+):(.*)$`)
	spaceRE     = regexp.MustCompile(`^` + tchar + `+[ \t]+:`)
	forbiddenRE = regexp.MustCompile(`^(?:authorization|cache-control|connection|cookie|expect|forwarded|host|keep-alive|location|max-forwards|` +
		`pragma|range|set-cookie|te|trailer|transfer-encoding|upgrade|via|www-authenticate|x-real-ip|(?:content-|if-|proxy-|x-forwarded).*)$`)
)

func controlCode(s string) string {
	switch controlRE.FindString(s) {
	case "":
		return ""
	case "\r":
		return "head.bare-cr"
	}
	return "head.control"
}

func (m *message) requestLine(line string, o Options) string {
	if code := controlCode(line); code != "" {
		return code
	}
	parts := strings.SplitN(line, " ", 3)
	if len(parts) == 1 {
		return "line.spaces"
	}
	proxy := parts[0] == "PROXY" && (strings.HasPrefix(parts[1], "TCP") || strings.HasPrefix(parts[1], "UNKNOWN"))
	if len(parts) == 2 {
		if proxy {
			return "protocol.proxy"
		}
		return "protocol.http-0.9"
	}
	m.method, m.target, m.version = parts[0], parts[1], parts[2]
	version := versionRE.FindStringSubmatch(m.version)
	switch {
	case !methodRE.MatchString(m.method):
		return "line.method"
	case m.target == "":
		return "line.spaces"
	case m.version == "HTTP/1.1" || m.version == "HTTP/1.0":
	case proxy:
		return "protocol.proxy"
	case strings.Contains(m.version, " "):
		return "line.spaces"
	case version == nil:
		return "line.version"
	case version[1] == "0":
		return "protocol.http-0.9"
	case m.method == "PRI" && m.target == "*":
		return "protocol.h2"
	default:
		return "protocol.version"
	}
	switch {
	case m.method == "CONNECT":
		return "method.connect"
	case len(m.target) > o.TargetBytes:
		return "target.size"
	case m.target == "*" && m.method == "OPTIONS":
		return ""
	}
	rest := m.target
	if absolute := absoluteRE.FindStringSubmatch(rest); absolute != nil && isHost(absolute[1]) {
		rest = absolute[2]
	} else if !strings.HasPrefix(rest, "/") {
		return "target.form"
	}
	if strings.HasPrefix(rest, "//") {
		return "target.double-slash"
	}
	// What comes first decides: a wrong character, or an escape in the path.
	path, _, _ := strings.Cut(rest, "?")
	for i := range len(rest) {
		if !charsRE.MatchString(rest[i : i+1]) {
			return "target.character"
		}
		if i < len(path) && path[i] == '%' && !escapeRE.MatchString(path[i:min(i+3, len(path))]) {
			return "target.escape"
		}
	}
	return ""
}

func isHost(s string) bool {
	match := hostRE.FindStringSubmatch(s)
	if match == nil || len(s) > 255 {
		return false
	}
	if match[2] != "" {
		if _, err := netip.ParseAddr(match[2]); err != nil || !strings.Contains(match[2], ":") {
			return false
		}
	}
	port, err := strconv.Atoi("0" + match[3])
	return err == nil && port <= 65535
}

func (m *message) all(name string) (values []string) {
	for _, f := range m.fields {
		if strings.EqualFold(f[0], name) {
			values = append(values, f[1])
		}
	}
	return values
}

func (m *message) field(line string, o Options) string {
	match := fieldRE.FindStringSubmatch(line)
	switch {
	case len(m.fields) == o.Fields:
		return "head.fields"
	case match == nil && controlCode(line) != "":
		return controlCode(line)
	case match == nil && strings.Trim(line[:1], " \t") == "":
		return "head.fold"
	case !strings.Contains(line, ":"):
		return "field.no-colon"
	case spaceRE.MatchString(line):
		return "field.space-before-colon"
	case match == nil:
		return "field.name"
	case controlCode(match[2]) != "":
		return controlCode(match[2])
	}
	name, value := match[1], strings.Trim(match[2], " \t")
	spaced := strings.Trim(match[2], " ")
	lengths, encodings := len(m.all("content-length")), len(m.all("transfer-encoding"))
	hyphens := strings.ReplaceAll(name, "_", "-")
	m.fields = append(m.fields, [2]string{name, value})
	switch strings.ToLower(hyphens) {
	case "host":
		if len(m.all("host")) > 1 {
			return "host.twice"
		}
		if !isHost(value) {
			return "host.invalid"
		}
	case "expect":
		if !strings.EqualFold(value, "100-continue") {
			return "expect.unknown"
		}
	case "trailer":
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.Trim(name, " \t"); !tokenRE.MatchString(name) || isForbidden(name) {
				return "framing.trailer"
			}
		}
	case "content-length":
		switch {
		case hyphens != name:
			return "framing.look-alike"
		case lengths > 0:
			return "framing.length-twice"
		case encodings > 0:
			return "framing.length-and-encoding"
		}
		return lengthCode(spaced)
	case "transfer-encoding":
		switch {
		case hyphens != name:
			return "framing.look-alike"
		case encodings > 0:
			return "framing.encoding-twice"
		case lengths > 0:
			return "framing.length-and-encoding"
		case m.version == "HTTP/1.0":
			return "framing.encoding-http-1.0"
		case !chunkedRE.MatchString(spaced):
			return "framing.encoding"
		}
	}
	return ""
}

func lengthCode(s string) string {
	switch {
	case s == "":
		return "framing.length-empty"
	case strings.Trim(s, "0123456789") == "" && len(s) > 18:
		return "framing.length-overflow"
	case regexp.MustCompile(`^(?:0|[1-9][0-9]*)$`).MatchString(s):
		return ""
	case strings.Contains(s, ","):
		return "framing.length-list"
	case s[0] == '+' || s[0] == '-':
		return "framing.length-sign"
	case strings.Trim(s, "0123456789") == "":
		return "framing.length-zeros"
	}
	return "framing.length-invalid"
}

func isForbidden(name string) bool {
	return forbiddenRE.MatchString(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
}

// whole checks a head with all its fields.
func (m *message) whole(o Options) string {
	hosts := m.all("host")
	absolute := absoluteRE.FindStringSubmatch(m.target)
	hasBody := len(m.all("transfer-encoding")) > 0 || m.length() > 0
	switch {
	case len(hosts) == 0 && m.version == "HTTP/1.1":
		return "host.missing"
	case absolute != nil && len(hosts) > 0 && !strings.EqualFold(hosts[0], absolute[1]):
		return "target.host-mismatch"
	case hasBody && (m.method == "GET" || m.method == "HEAD" || m.method == "TRACE"):
		return "framing.unexpected-body"
	case m.length() > o.BodyBytes:
		return "body.size"
	}
	return ""
}

func (m *message) length() int64 {
	n, _ := strconv.ParseInt(strings.Join(m.all("content-length"), ""), 10, 64)
	return n
}

// readBody returns how long the body in s is, or where it goes wrong.
func (m *message) readBody(s string, o Options) (n int, code string) {
	if len(m.all("transfer-encoding")) > 0 {
		return m.readChunks(s, o)
	}
	length := int(m.length())
	if len(s) < length {
		return len(s), "body.truncated"
	}
	m.body = s[:length]
	return length, ""
}

// prefix is the length of the prefix of s that has only the characters of a set.
func prefix(s, set string) int { return len(s) - len(strings.TrimLeft(s, set)) }

func (m *message) readChunks(s string, o Options) (n int, code string) {
	const hexDigits = "0123456789abcdefABCDEF"
	extensions, total := 0, int64(0)
	for {
		digits := prefix(s[n:], hexDigits)
		if digits > 8 {
			return n + 8, "chunk.overflow"
		}
		size, _ := strconv.ParseInt("0"+s[n:n+digits], 16, 64)
		if n += digits; n == len(s) {
			return n, "body.truncated"
		}
		switch {
		case digits == 0 || s[n] != ';' && s[n] != '\r' && s[n] != '\n':
			return n, "chunk.size"
		case s[n] == '\n':
			return n, "chunk.line-end"
		}
		if total += size; total > o.BodyBytes {
			return n, "body.size"
		}
		for ; n < len(s) && s[n] != '\r'; n++ {
			if s[n] == '\n' {
				return n, "chunk.line-end"
			}
			if controlRE.MatchString(s[n : n+1]) {
				return n, "chunk.control"
			}
			if extensions++; extensions > 1024 {
				return n, "chunk.extensions"
			}
		}
		if n, code = expect(s, n, "\r\n", "chunk.line-end"); code != "" {
			return n, code
		}
		if size == 0 {
			trailer, code := m.readTrailers(s[n:])
			return n + trailer, code
		}
		if int64(len(s)-n) <= size {
			return len(s), "body.truncated"
		}
		m.body += s[n : n+int(size)]
		if n, code = expect(s, n+int(size), "\r\n", "chunk.data-end"); code != "" {
			return n, code
		}
	}
}

// expect wants s to go on with a text.
func expect(s string, n int, text, code string) (int, string) {
	for i := range len(text) {
		switch {
		case n == len(s):
			return n, "body.truncated"
		case s[n] != text[i]:
			return n, code
		}
		n++
	}
	return n, ""
}

func (m *message) readTrailers(s string) (n int, code string) {
	for {
		line, _, complete := strings.Cut(s[n:], "\r")
		if complete && line == "" {
			return expect(s, n, "\r\n", "chunk.trailer")
		}
		if complete {
			line += "\r"
		}
		name, value, colon := strings.Cut(line, ":")
		var wrong string
		var at int
		switch valid := prefixToken(name); {
		case valid < len(name) || name == "" && colon:
			wrong, at = "chunk.trailer", n+valid
		case colon && isForbidden(name):
			wrong, at = "chunk.trailer-name", n+len(name)
		case controlRE.MatchString(strings.TrimSuffix(value, "\r")):
			wrong, at = "chunk.trailer", n+len(name)+1+controlRE.FindStringIndex(value)[0]
		case !complete:
			wrong, at = "body.truncated", len(s)
		case n+len(line) == len(s):
			wrong, at = "body.truncated", len(s)
		case s[n+len(line)] != '\n':
			wrong, at = "chunk.trailer", n+len(line)
		default:
			n += len(line) + 1
			if n > 1024 {
				return 1024, "chunk.trailer-size"
			}
			m.trailers = append(m.trailers, [2]string{name, strings.Trim(strings.TrimSuffix(value, "\r"), " \t")})
			continue
		}
		if at > 1024 || at == 1024 && wrong == "body.truncated" && len(s) > 1024 {
			return 1024, "chunk.trailer-size"
		}
		return at, wrong
	}
}

func prefixToken(s string) int {
	for i := range len(s) {
		if !tokenRE.MatchString(s[i : i+1]) {
			return i
		}
	}
	return len(s)
}
