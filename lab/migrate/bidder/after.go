package bidder

import "github.com/rtbwire/rtbwire/openrtb"

func floor(body []byte) (float64, error) {
	req, err := openrtb.Parse(body)
	if err != nil {
		return 0, err
	}
	if len(req.Imp) == 0 || req.Imp[0].BidFloor == nil { // nil is absent: no floor
		return 0, nil
	}
	return *req.Imp[0].BidFloor, nil
}
