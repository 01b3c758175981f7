package guard

// body is the state of reading one body, which is handed on as it comes. Nothing of it is kept.
type body struct {
	part       part
	left       int64 // of a counted body, or of a chunk; while a size is read, its value so far
	total      int64 // the sizes of all chunks so far
	digits     int
	extensions int // bytes of all extensions so far
	trailers   int // bytes of all trailer fields so far
	name       trailerName
}

// part is where in a body the next byte belongs. A message without a body is at its end at once.
type part uint8

const (
	atEnd part = iota
	counted
	sizeDigits
	extension
	sizeLF
	chunkData
	dataCR
	dataLF
	trailerStart
	trailerField // in the name
	trailerValue
	trailerLF
	lastLF
)

// begin starts the body that a head announces.
func (b *body) begin(h *head) {
	*b = body{left: h.length}
	switch {
	case h.found&chunked != 0:
		b.part = sizeDigits
	case h.length > 0:
		b.part = counted
	}
}

// take returns how many bytes of p belong to the body. It is at its end when b.part says so.
func (b *body) take(p []byte, o *Options) (n int, r *Refusal) {
	for n < len(p) && b.part != atEnd {
		took, _, r := b.next(p[n:], o)
		if r != nil {
			return 0, r
		}
		n += took
	}
	return n, nil
}

// next takes bytes of p up to the end of the first data in it: of n bytes, the last are data.
func (b *body) next(p []byte, o *Options) (n, data int, r *Refusal) {
	for n < len(p) && b.part != atEnd {
		if b.part == counted || b.part == chunkData {
			data = int(min(int64(len(p)-n), b.left))
			switch b.left -= int64(data); {
			case b.left > 0:
			case b.part == counted:
				b.part = atEnd
			default:
				b.part = dataCR
			}
			return n + data, data, nil
		}
		if r := b.step(p[n], o); r != nil {
			return 0, 0, r
		}
		n++
	}
	return n, 0, nil
}

// step takes a byte of a chunked body that is not data, RFC 9112, section 7.1.
func (b *body) step(c byte, o *Options) *Refusal {
	switch b.part { //nolint:exhaustive // take handles the others
	case sizeDigits:
		return b.takeSize(c, o)
	case extension:
		return b.takeExtension(c)
	case sizeLF:
		if c != '\n' {
			return chunkLineEnd
		}
		if b.part = chunkData; b.left == 0 {
			b.part = trailerStart
		}
	case dataCR:
		if c != '\r' {
			return chunkDataEnd
		}
		b.part = dataLF
	case dataLF:
		if c != '\n' {
			return chunkDataEnd
		}
		b.part, b.left, b.digits = sizeDigits, 0, 0
	case lastLF:
		if c != '\n' {
			return chunkTrailer
		}
		b.part = atEnd
	default:
		return b.takeTrailer(c)
	}
	return nil
}

// takeSize takes a byte of a chunk's size.
func (b *body) takeSize(c byte, o *Options) *Refusal {
	if class[c]&hexByte != 0 {
		if b.digits++; b.digits > chunkDigitsMax {
			return chunkOverflow
		}
		b.left = b.left<<4 | hexValue(c)
		return nil
	}
	switch {
	case b.digits == 0:
		return chunkSize
	case c == ';':
		b.part = extension
		b.extensions++
	case c == '\r':
		b.part = sizeLF
	case c == '\n':
		return chunkLineEnd
	default:
		return chunkSize
	}
	if b.total += b.left; b.total > o.BodyBytes {
		return bodySize
	}
	if b.extensions > extensionBytesMax {
		return chunkExtensions
	}
	return nil
}

func hexValue(c byte) int64 {
	if c <= '9' {
		return int64(c - '0')
	}
	return int64(lower(c)-'a') + 10
}

// takeExtension takes a byte of a chunk's extension.
func (b *body) takeExtension(c byte) *Refusal {
	switch {
	case c == '\r':
		b.part = sizeLF
		return nil
	case c == '\n':
		return chunkLineEnd
	case isControl(c):
		return chunkControl
	}
	if b.extensions++; b.extensions > extensionBytesMax {
		return chunkExtensions
	}
	return nil
}

// takeTrailer takes a byte of a trailer section, RFC 9112, section 7.1.2. Its lines are as in a
// head.
func (b *body) takeTrailer(c byte) *Refusal {
	switch b.part { //nolint:exhaustive // step handles the others
	case trailerStart:
		if c == '\r' {
			b.part = lastLF
			return nil
		}
		b.part, b.name = trailerField, trailerName{}
		fallthrough
	case trailerField:
		switch {
		case class[c]&tokenByte != 0:
			b.name.add(c)
		case c != ':' || b.name.length == 0:
			return chunkTrailer
		case b.name.forbidden():
			return chunkTrailerName
		default:
			b.part = trailerValue
		}
	case trailerValue:
		switch {
		case c == '\r':
			b.part = trailerLF
		case isControl(c):
			return chunkTrailer
		}
	case trailerLF:
		if c != '\n' {
			return chunkTrailer
		}
		b.part = trailerStart
	}
	if b.trailers++; b.trailers > trailerBytesMax {
		return chunkTrailerSize
	}
	return nil
}
