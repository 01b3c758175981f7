package gateway

// relay makes the upstream's answer ours.
func (x *exchange) relay() {
	h := &x.resp.Header
	for _, name := range hopByHop {
		h.Del(name)
	}
	h.ResetConnectionClose() // the upstream's connection is not the sender's
	h.SetNoDefaultContentType(true)
	if body := x.resp.Body(); cap(body) > keepMax {
		x.resp.SwapBody(nil)
		x.resp.SetBodyRaw(body) // which is dropped after it is written
	}
}
