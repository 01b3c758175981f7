package bidder

import (
	"io"
	"net/http"

	"github.com/rtbwire/rtbwire/openrtb"
)

const bodyMax = 1 << 20

// read replaces json.NewDecoder(r.Body).Decode(&req).
func read(w http.ResponseWriter, r *http.Request) (*openrtb.BidRequest, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
	if err != nil {
		return nil, err
	}
	return openrtb.ParseFast(body) // strings point into body, which nothing else uses
}
