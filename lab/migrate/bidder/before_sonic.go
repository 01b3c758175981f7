package bidder

import "github.com/bytedance/sonic"

func floorSonic(body []byte) (float64, error) {
	var req request
	if err := sonic.Unmarshal(body, &req); err != nil {
		return 0, err
	}
	if len(req.Imp) == 0 {
		return 0, nil
	}
	return req.Imp[0].BidFloor, nil
}
