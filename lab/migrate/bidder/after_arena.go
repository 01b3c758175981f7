package bidder

import (
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
)

func idArena(body []byte) (string, error) {
	req, err := openrtb.ParseFastArena(body)
	if err != nil {
		return "", err
	}
	defer openrtb.ReleaseArena(req)
	return strings.Clone(req.ID), nil // req.ID itself ends with the release, or with body
}
