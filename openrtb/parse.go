package openrtb

import "encoding/json"

// Parse decodes one bid request. The result owns all of its memory and stays valid for ever.
func Parse(data []byte) (*BidRequest, error) {
	r := new(BidRequest)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	return r, nil
}

// ParseResponse decodes one bid response. The result owns all of its memory and stays valid
// for ever.
func ParseResponse(data []byte) (*BidResponse, error) {
	r := new(BidResponse)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	return r, nil
}
