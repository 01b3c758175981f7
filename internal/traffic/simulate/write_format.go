package simulate

// banner writes the banner of impression i: one size in w and h, or all of them in format.
func (w *writer) banner(i int) {
	r := &w.r
	class := r.device.model.class
	lists := bannerSizes[min(class, outdoor)]
	sizes := lists[w.salt>>25%uint64(len(lists))]
	var whole [1]size
	if r.instl {
		whole[0] = r.device.model.screen()
		sizes = whole[:]
	}
	bare := w.salt>>29&7 < 2 && len(sizes) == 1 // w and h alone
	w.open()
	for _, m := range w.d.order[objBanner] {
		if !w.has(m) {
			continue
		}
		switch m {
		case bannerFormat:
			if !bare {
				w.key(m)
				w.sizes(sizes)
			}
		case bannerW:
			if bare || w.salt>>29&7 == 3 {
				w.key(m)
				w.int(sizes[0].w)
			}
		case bannerH:
			if bare || w.salt>>29&7 == 3 {
				w.key(m)
				w.int(sizes[0].h)
			}
		case bannerID:
			w.key(m)
			w.identifier(small, 0, i+1)
		default:
			w.bannerSetting(m)
		}
	}
	w.close()
}

func (w *writer) sizes(sizes []size) {
	w.dst = append(w.dst, '[')
	for i, s := range sizes {
		w.element(i)
		w.open()
		w.key(bannerW)
		w.int(s.w)
		w.key(bannerH)
		w.int(s.h)
		w.close()
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) bannerSetting(m member) {
	r, key := &w.r, w.salt>>33
	w.key(m)
	switch m {
	case bannerBtype:
		w.ints(1, 4)
	case bannerBattr:
		w.ints([]int{1, 2, 5, 8, 9, 10, 14, 17}[:2+key&3*2]...)
	case bannerPos:
		if r.instl {
			w.int(7)
		} else {
			w.int([]int{1, 3, 4, 5}[key>>2&3])
		}
	case bannerMimes:
		w.texts("image/jpeg", "image/png", "text/html")
	case bannerTopFrame:
		w.flag(key&16 != 0)
	case bannerAPI:
		if r.channel == inApp {
			w.ints([]int{3, 5, 6, 7}[:1+key>>5&3]...)
		} else {
			w.ints(7)
		}
	}
}

// video writes the video of impression i.
func (w *writer) video(i int) {
	r, key := &w.r, w.salt>>23
	list := videoSizes[r.device.model.class]
	s := list[w.r.key>>27%uint64(len(list))]
	if r.instl {
		s = r.device.model.screen()
	}
	pod := r.pod && !w.d.old
	w.open()
	for _, m := range w.d.order[objVideo] {
		if !w.has(m) {
			continue
		}
		switch m {
		case videoMimes:
			w.key(m)
			w.texts([]string{"video/mp4", "video/webm", "application/javascript", "video/3gpp"}[:1+key&3]...)
		case videoMin:
			if !w.exact() {
				w.key(m)
				w.int(5 * int(key>>2&1))
			}
		case videoMax:
			if !w.exact() {
				w.key(m)
				w.int(15 * (1 + int(key>>3&3)))
			}
		case videoW:
			w.key(m)
			w.int(s.w)
		case videoH:
			w.key(m)
			w.int(s.h)
		case videoPodID:
			if pod {
				w.key(m)
				w.dst = append(w.dst, `"pod-`...)
				w.dst = append(appendHex(w.dst, w.r.key, 4), '"')
			}
		case videoSequence:
			if r.pod && w.d.old {
				w.key(m)
				w.int(i + 1)
			}
		case videoSlotInPod:
			if pod && r.imps > 1 {
				w.key(m)
				w.int([]int{1, 0, 2}[min(i, 1)+boolInt(i > 0 && i == r.imps-1)])
			}
		case videoMaxSeq, videoPodDur:
			if pod && r.imps == 1 {
				w.key(m)
				w.int(map2(m == videoMaxSeq, 3+int(key>>5&3), 60+30*int(key>>5&3)))
			}
		default:
			w.videoSetting(m)
		}
	}
	w.close()
}

// exact reports whether a pod asks for exact durations, which exclude a range.
func (w *writer) exact() bool {
	return w.r.pod && !w.d.old && w.r.imps == 1 && w.d.least[videoRqdDurs] <= w.r.detail && w.r.key>>50&1 == 1
}

func boolInt(b bool) int { return map2(b, 1, 0) }

// map2 returns one of two numbers.
func map2(b bool, yes, no int) int {
	if b {
		return yes
	}
	return no
}

// videoSetting writes one of the video's plain members, if it applies.
func (w *writer) videoSetting(m member) {
	r, key := &w.r, w.salt>>31
	instream := r.channel == onTV || r.channel == onSite && w.r.key>>20&3 == 0
	switch m {
	case videoStartDelay:
		w.key(m)
		w.int(map2(r.channel == onTV && r.key>>22&1 == 1, -1, 0))
	case videoProtocols:
		w.key(m)
		w.ints([]int{2, 3, 5, 6, 7, 8}[:2+key&1*2+key>>1&1*2]...)
	case videoPodSeq:
		if r.pod && !w.d.old {
			w.key(m)
			w.int(1 - int(r.key>>24%3))
		}
	case videoRqdDurs:
		if w.exact() {
			w.key(m)
			w.ints(15, 30, 60)
		}
	case videoPlacement:
		w.key(m)
		switch {
		case instream:
			w.int(1)
		case r.instl:
			w.int(5)
		default:
			w.int(2 + int(key>>2&1))
		}
	case videoPlcmt:
		w.key(m)
		switch {
		case instream:
			w.int(1)
		case r.instl:
			w.int(3)
		default:
			w.int(4)
		}
	case videoLinearity:
		w.key(m)
		w.int(1)
	case videoSkip:
		w.key(m)
		w.flag(r.channel != onTV) // skipmin is for those that can be skipped
	case videoSkipMin:
		if r.channel != onTV {
			w.key(m)
			w.int(5)
		}
	case videoMinCPM:
		if r.pod && !w.d.old {
			w.key(m)
			w.decimal(20+int(key>>4%80), 2)
		}
	case videoBattr:
		w.key(m)
		w.ints(1, 7, 13, 17)
	case videoMaxBitrate:
		w.key(m)
		w.int(1500 + 500*int(key>>11&15))
	case videoPlayback:
		w.key(m)
		w.ints(map2(instream, 1, 2+int(key>>15&1)*4))
	case videoDelivery:
		w.key(m)
		w.ints(2)
	case videoPos:
		w.key(m)
		w.int(map2(r.instl, 7, 1))
	case videoAPI:
		w.key(m)
		w.ints(map2(r.channel == onTV, 7, 2))
	}
}

func (w *writer) audio() {
	key := w.salt >> 23
	w.open()
	for _, m := range w.d.order[objAudio] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case audioMimes:
			w.texts([]string{"audio/mpeg", "audio/mp4", "audio/ogg"}[:1+key%3]...)
		case audioMin:
			w.int(5)
		case audioMax:
			w.int(15 * (1 + int(key>>3&3)))
		case audioProtocols:
			w.ints(9, 10)
		case audioStartDelay:
			w.int(-int(key >> 5 % 3))
		case audioFeed:
			w.int(1 + int(key>>7%3))
		case audioStitched:
			w.flag(key&512 != 0)
		case audioNvol:
			w.int(int(key >> 10 & 3))
		case audioAPI:
			w.ints(7)
		}
	}
	w.close()
}

// natives are requests for native advertisements, as JSON that becomes a string. They follow
// OpenRTB Native Ads 1.2.
var natives = [...]string{
	`{"ver":"1.2","context":1,"contextsubtype":11,"plcmttype":1,"assets":[{"id":1,"required":1,"title":{"len":90}},{"id":2,"required":1,"img":{"type":3,"wmin":300,"hmin":250}},{"id":3,"data":{"type":1,"len":25}}],"eventtrackers":[{"event":1,"methods":[1,2]}]}`,
	`{"ver":"1.2","context":2,"plcmttype":2,"assets":[{"id":1,"required":1,"title":{"len":140}},{"id":2,"required":1,"img":{"type":3,"w":1200,"h":627}}]}`,
	`{"ver":"1.1","context":1,"plcmttype":4,"plcmtcnt":1,"assets":[{"id":101,"required":1,"title":{"len":80}},{"id":102,"required":0,"img":{"type":1,"w":50,"h":50}},{"id":103,"required":1,"img":{"type":3,"w":600,"h":314}},{"id":104,"required":0,"data":{"type":2,"len":120}},{"id":105,"required":0,"data":{"type":12,"len":15}}]}`,
	`{"plcmttype":1,"assets":[{"id":1,"required":1,"title":{"len":25}},{"id":2,"required":1,"img":{"type":3,"w":300,"h":250}}]}`,
	`{"ver":"1.2","context":3,"contextsubtype":30,"plcmttype":4,"privacy":1,"assets":[{"id":1,"required":1,"title":{"len":60}},{"id":2,"img":{"type":1,"wmin":80,"hmin":80,"mimes":["image/jpeg","image/png"]}},{"id":3,"data":{"type":6,"len":10}},{"id":4,"data":{"type":3,"len":5}},{"id":5,"video":{"mimes":["video/mp4"],"minduration":5,"maxduration":30,"protocols":[2,3]}}],"eventtrackers":[{"event":1,"methods":[1]},{"event":2,"methods":[1,2]}]}`,
}

func (w *writer) native() {
	key := w.salt >> 23
	w.open()
	for _, m := range w.d.order[objNative] {
		if !w.has(m) {
			continue
		}
		w.key(m)
		switch m {
		case nativeRequest:
			n := key % uint64(len(natives))
			if w.r.detail < usual { // short ones are the fourth and the second
				n = 3 - 2*(key&1)
			}
			w.raw(w.d.natives[n])
		case nativeVer:
			w.text("1.2")
		case nativeAPI:
			w.ints(7)
		case nativeBattr:
			w.ints(1, 13)
		}
	}
	w.close()
}
