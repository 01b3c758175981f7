package guard

import "bytes"

// target checks a request target by RFC 9112, section 3.2; it begins at offset from of the head.
func (h *head) target(target []byte, from int, options bool, o *Options) *Refusal {
	if len(target) > o.TargetBytes {
		return targetSize
	}
	if target[0] == '*' {
		if len(target) > 1 || !options {
			return targetForm
		}
		return nil
	}
	if target[0] == '/' {
		return pathAndQuery(target)
	}
	start := bytes.Index(target, []byte("://"))
	if start < 0 || !equalFold(target[:start], "http") && !equalFold(target[:start], "https") {
		return targetForm
	}
	start += len("://")
	authority := target[start:]
	if end := bytes.IndexAny(authority, "/?"); end >= 0 {
		authority = authority[:end]
	}
	if !validHost(authority) { // that of the target has no user, as in RFC 9110, section 4.2.4
		return targetForm
	}
	h.authority = span{from + start, from + start + len(authority)}
	return pathAndQuery(target[start+len(authority):])
}

// pathAndQuery checks what follows the authority.
func pathAndQuery(b []byte) *Refusal {
	if len(b) > 1 && b[0] == '/' && b[1] == '/' {
		return targetDoubleSlash
	}
	query := false
	for i, c := range b {
		if class[c]&targetByte == 0 {
			return targetCharacter
		}
		switch {
		case c == '?':
			query = true
		case c == '%' && !query && (len(b) < i+3 || class[b[i+1]]&class[b[i+2]]&hexByte == 0):
			return targetEscape // in a query it is common: unexpanded macros
		}
	}
	return nil
}

// validHost reports whether b is a host with an optional port. Names follow DNS, with underscores.
func validHost(b []byte) bool {
	if len(b) == 0 || len(b) > hostBytesMax {
		return false
	}
	var end int
	if b[0] == '[' {
		end = bytes.IndexByte(b, ']') + 1
		if end == 0 || !validIPv6(b[1:end-1]) {
			return false
		}
	} else {
		if end = classEnd(b, hostByte); end == 0 {
			return false
		}
	}
	return end == len(b) || b[end] == ':' && validPort(b[end+1:])
}

func validPort(b []byte) bool {
	n, ok := decimal(b, 5)
	return ok && n <= 65535
}

// decimal reads one to digitsMax digits.
func decimal(b []byte, digitsMax int) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(b) > 0 && len(b) <= digitsMax
}

// validIPv6 reports whether b is an address of RFC 4291, section 2.2, without a zone. It is
// netip.ParseAddr without its allocation.
func validIPv6(b []byte) bool {
	groups, gap, i := 0, false, 0
	if bytes.HasPrefix(b, []byte("::")) {
		gap, i = true, 2
	}
	for i < len(b) {
		j := i
		for j < len(b) && class[b[j]]&hexByte != 0 {
			j++
		}
		if j < len(b) && b[j] == '.' {
			if !validIPv4(b[i:]) {
				return false
			}
			groups += 2
			break
		}
		if j == i || j-i > 4 {
			return false
		}
		groups++
		if j == len(b) {
			break
		}
		if i = j + 1; b[j] != ':' || i == len(b) {
			return false
		}
		if b[i] == ':' {
			if gap {
				return false
			}
			gap = true
			i++
		}
	}
	return gap && groups < 8 || !gap && groups == 8
}

func validIPv4(b []byte) bool {
	for part := range 4 {
		end := len(b)
		if part < 3 {
			if end = bytes.IndexByte(b, '.'); end < 0 {
				return false
			}
		}
		n, ok := decimal(b[:end], 3)
		if !ok || n > 255 || end > 1 && b[0] == '0' {
			return false
		}
		b = b[min(end+1, len(b)):]
	}
	return true
}
