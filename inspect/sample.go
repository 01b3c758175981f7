package inspect

import "github.com/rtbwire/rtbwire/openrtb"

// SampleOf returns the place of a request in the sample, in [0, 1): a layer whose share is larger
// is about the request. It is a hash of the request's id, or of the whole body if there is none:
// for a request without an id or with an empty one, and for a nil request, which is one that can't
// be decoded.
//
// The hash has no seed, so that every process, front end and version chooses alike: 64-bit FNV-1a,
// then the finalizer of MurmurHash3 (fmix64), without which ids that count up would not spread. Its
// upper 53 bits, divided by 2^53, are the place.
func SampleOf(r *openrtb.BidRequest, body []byte) float64 {
	var h uint64
	if r != nil && r.ID != "" {
		h = hash(r.ID)
	} else {
		h = hash(body)
	}
	return float64(h>>11) / (1 << 53)
}

// hash is the hash that [SampleOf] documents.
func hash[T string | []byte](text T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
