package bidder

import "encoding/json"

type request struct {
	ID  string `json:"id"`
	Imp []struct {
		ID       string  `json:"id"`
		BidFloor float64 `json:"bidfloor,omitempty"`
	} `json:"imp"`
	Ext map[string]interface{} `json:"ext,omitempty"`
}

func floorJSON(body []byte) (float64, error) {
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		return 0, err
	}
	if len(req.Imp) == 0 {
		return 0, nil
	}
	return req.Imp[0].BidFloor, nil
}
