package bidder

import "github.com/rtbwire/rtbwire/openrtb"

// respond replaces json.Marshal(&response).
func respond(dst []byte, id, impID string, price float64) ([]byte, error) {
	response := openrtb.BidResponse{
		ID:      id,
		SeatBid: []openrtb.SeatBid{{Bid: []openrtb.Bid{{ID: "1", ImpID: impID, Price: new(price)}}}},
	}
	return response.AppendJSON(dst)
}
