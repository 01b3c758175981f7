package bidder

import jsoniter "github.com/json-iterator/go"

var jsonAPI = jsoniter.ConfigCompatibleWithStandardLibrary

func floorJSONIterator(body []byte) (float64, error) {
	var req request
	if err := jsonAPI.Unmarshal(body, &req); err != nil {
		return 0, err
	}
	if len(req.Imp) == 0 {
		return 0, nil
	}
	return req.Imp[0].BidFloor, nil
}
