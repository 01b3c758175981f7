package bidder

import (
	"errors"
	"log"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

func accepts(body []byte) bool {
	_, err := openrtb.Parse(body)
	var refusal *wire.Error
	if errors.As(err, &refusal) { // instead of *json.SyntaxError and *json.UnmarshalTypeError
		log.Print(refusal.Code, refusal.Offset, refusal.Path)
	}
	return err == nil
}
