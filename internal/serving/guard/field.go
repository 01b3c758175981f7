package guard

import "bytes"

// field checks a field line by RFC 9112, section 5; it begins at offset from of the head.
func (h *head) field(line []byte, from int, o *Options) *Refusal {
	if h.fields++; h.fields > o.Fields {
		return headFields
	}
	n := classEnd(line, tokenByte)
	if n == 0 || n == len(line) || line[n] != ':' {
		return nameRefusal(line, n)
	}
	value := line[n+1:]
	if c := control(value); c >= 0 {
		return controlRefusal(c)
	}
	switch n {
	case len("host"):
		if equalFold(line[:n], "host") {
			return h.takeHost(value, from+n+1)
		}
	case len("expect"):
		if equalFold(line[:n], "expect") && !equalFold(trim(value), "100-continue") {
			return expectUnknown
		}
	case len("trailer"):
		if equalFold(line[:n], "trailer") {
			return announced(value)
		}
	case len("connection"):
		if h.found&isAnswer != 0 && equalFold(line[:n], "connection") {
			h.takeConnection(value)
		}
	case len("content-length"):
		if is, exactly := named(line[:n], "content-length"); is {
			return h.takeLength(value, exactly)
		}
	case len("content-encoding"):
		if h.found&isAnswer != 0 && equalFold(line[:n], "content-encoding") {
			h.codings++
		}
	case len("transfer-encoding"):
		if is, exactly := named(line[:n], "transfer-encoding"); is {
			return h.takeEncoding(value, exactly)
		}
	}
	return nil
}

// takeConnection reads the options of Connection, RFC 9110, section 7.6.1.
func (h *head) takeConnection(value []byte) {
	for option := range bytes.SplitSeq(value, []byte{','}) {
		switch option = trim(option); {
		case equalFold(option, "close"):
			h.found |= closes
		case equalFold(option, "keep-alive"):
			h.found |= keeps
		}
	}
}

// codingsOf returns the values of all fields Content-Encoding of a checked head, as one list.
func codingsOf(head []byte) (list []byte) {
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte{':'})
		if value = bytes.TrimSpace(value); len(value) == 0 || !equalFold(name, "content-encoding") {
			continue
		}
		if len(list) > 0 {
			list = append(list, ", "...)
		}
		list = append(list, value...)
	}
	return list
}

// nameRefusal refuses a line whose first n bytes are a token without a colon after it.
func nameRefusal(line []byte, n int) *Refusal {
	if c := control(line); c >= 0 {
		return controlRefusal(c)
	}
	isSpace := n < len(line) && (line[n] == ' ' || line[n] == '\t')
	rest := bytes.TrimLeft(line[n:], " \t")
	switch {
	case n == 0 && isSpace:
		return headFold
	case bytes.IndexByte(line, ':') < 0:
		return fieldNoColon
	case n > 0 && isSpace && rest[0] == ':':
		return fieldSpaceColon
	}
	return fieldName
}

// named reports whether a name is the given one, which is in lower case, and whether it is that
// with its hyphen. Gateways such as CGI turn hyphens into underscores.
func named(b []byte, name string) (is, exactly bool) {
	exactly = true
	for i, c := range b {
		if lower(c) != name[i] {
			if c != '_' || name[i] != '-' {
				return false, false
			}
			exactly = false
		}
	}
	return true, exactly
}

// takeHost checks Host by RFC 9112, section 3.2; the value begins at offset from of the head.
func (h *head) takeHost(value []byte, from int) *Refusal {
	if h.found&hostField != 0 {
		return hostTwice
	}
	h.found |= hostField
	host := trim(value)
	if !validHost(host) {
		return hostInvalid
	}
	from += bytes.Index(value, host)
	h.host = span{from, from + len(host)}
	return nil
}

// takeLength checks Content-Length by RFC 9112, section 6.2.
func (h *head) takeLength(value []byte, exactly bool) *Refusal {
	switch {
	case !exactly:
		return framingLookAlike
	case h.found&lengthField != 0:
		return framingLengthTwice
	case h.found&chunked != 0:
		return framingBoth
	}
	h.found |= lengthField
	digits := trimSpaces(value)
	n := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return lengthRefusal(digits)
		}
		if n < 1<<59 { // what is larger has too many digits
			n = n*10 + int64(c-'0')
		}
	}
	switch {
	case len(digits) == 0:
		return framingLengthEmpty
	case len(digits) > lengthDigitsMax:
		return framingLengthOverflow
	case digits[0] == '0' && len(digits) > 1:
		return framingLengthZeros
	}
	h.length = n
	return nil
}

func lengthRefusal(value []byte) *Refusal {
	switch {
	case bytes.IndexByte(value, ',') >= 0:
		return framingLengthList
	case value[0] == '+' || value[0] == '-':
		return framingLengthSign
	}
	return framingLengthInvalid
}

// takeEncoding checks Transfer-Encoding by RFC 9112, section 6.1: the only one here is chunked.
func (h *head) takeEncoding(value []byte, exactly bool) *Refusal {
	switch {
	case !exactly:
		return framingLookAlike
	case h.found&chunked != 0:
		return framingEncodingTwice
	case h.found&lengthField != 0:
		return framingBoth
	case h.found&version10 != 0:
		return framingEncoding10
	case !equalFold(trimSpaces(value), "chunked"):
		return framingEncoding
	}
	h.found |= chunked
	return nil
}

// announced checks the names in Trailer, RFC 9110, section 6.6.2.
func announced(value []byte) *Refusal {
	for more := true; more; {
		var name []byte
		if name, value, more = bytes.Cut(value, []byte{','}); !IsToken(trim(name)) {
			return framingTrailer
		}
		var t trailerName
		for _, c := range trim(name) {
			t.add(c)
		}
		if t.forbidden() {
			return framingTrailer
		}
	}
	return nil
}
