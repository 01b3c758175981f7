package gateway

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
)

// bidOf looks for a bid in an answer without decoding it: a member "seatbid", and after it a member
// "bid" whose array is not empty. A quote inside of a string has a backslash before it, so no
// string of a valid answer has such a member.
func bidOf(m *fasthttp.Response) balance.Bid {
	body := m.Body()
	switch status := m.StatusCode(); {
	case status < 200 || status > 299:
		return balance.BidUnread
	case len(body) == 0:
		return balance.BidNone
	case len(m.Header.ContentEncoding()) > 0 && !bytes.EqualFold(m.Header.ContentEncoding(), nameIdentity):
		return balance.BidUnread
	}
	_, body, found := bytes.Cut(body, keySeatBid)
	for found {
		if _, body, found = bytes.Cut(body, keyBid); !found {
			break
		}
		if rest, ok := after(':', body); ok {
			if rest, ok = after('[', rest); ok {
				if _, empty := after(']', rest); !empty {
					return balance.BidMade
				}
			}
		}
	}
	return balance.BidNone
}

var keySeatBid, keyBid = []byte(`"seatbid"`), []byte(`"bid"`)

// after returns what follows a byte in JSON, which white space may be before.
func after(c byte, text []byte) (rest []byte, ok bool) {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || text[0] != c {
		return nil, false
	}
	return text[1:], true
}
