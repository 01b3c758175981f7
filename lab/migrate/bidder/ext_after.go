package bidder

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/openrtb"
)

func score(req *openrtb.BidRequest) (int64, error) {
	if len(req.Ext) == 0 { // absent, or null
		return 0, nil
	}
	var ext struct {
		Score int64 `json:"score"`
	}
	err := json.Unmarshal(req.Ext, &ext)
	return ext.Score, err
}
