package gateway

// relay makes the upstream's answer ours.
func (x *exchange) relay() {
	h := &x.resp.Header
	if x.resp.StatusCode() < 200 { // 101: nobody has asked for another protocol
		x.resp.Reset()
		h.SetNoDefaultContentType(true)
		x.unavailable(failBroken)
		return
	}
	x.drop = x.drop[:0]
	for _, name := range h.PeekTrailerKeys() {
		x.noteDrop(name)
	}
	for name, value := range h.All() {
		if len(value) > 0 && string(name) == headerVersion {
			x.versioned = true
		}
		switch kindOf(name) {
		case headerOptions:
			x.noteOptions(value)
			x.noteDrop(name)
		case headerHop, headerOurs:
			x.noteDrop(name)
		}
	}
	for i := range x.drop {
		h.DelBytes(x.drop[i])
	}
	h.ResetConnectionClose() // the upstream's connection is not the sender's
	h.SetNoDefaultContentType(true)
	x.judgeAnswer()
	x.compressAnswer()
	if body := x.resp.Body(); cap(body) > keepMax {
		x.resp.SwapBody(nil)
		x.resp.SetBodyRaw(body) // which is dropped after it is written
	}
}

// identifyAnswer adds what every answer to a bid request has.
func (x *exchange) identifyAnswer() {
	h := &x.resp.Header
	if !x.versioned {
		if x.version > 0 {
			h.SetCanonical(nameVersion, x.versionBytes[:x.version])
		} else {
			h.SetCanonical(nameVersion, versionDefault)
		}
	}
	h.SetCanonical(nameRequestID, x.traceID)
}

var versionDefault = []byte(VersionDefault)

// noteVersion keeps the version that the answer will have.
func (x *exchange) noteVersion() { x.version = copy(x.versionBytes[:], x.head.version) }
