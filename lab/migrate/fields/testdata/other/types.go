// Package rtb2 is a package of OpenRTB types in the style of others, for the test: each kind of
// difference is there once.
package rtb2

import "encoding/json"

type BidRequest struct {
	ID     string          `json:"id"`
	Imp    []*Imp          `json:"imp"`
	Test   int8            `json:"test,omitempty"`
	AT     int64           `json:"at,omitempty"`
	Agent  *Agent          `json:"agent,omitempty"`
	BlkCat []string        `json:"bcat,omitempty"`
	Ext    json.RawMessage `json:"ext,omitempty"`
}

type Imp struct {
	ID       string      `json:"id"`
	BidFloor float64     `json:"bidfloor,omitempty"`
	TagID    *string     `json:"tagid,omitempty"`
	Instl    *int8       `json:"instl,omitempty"`
	Video    *Video      `json:"video,omitempty"`
	Ext      interface{} `json:"ext,omitempty"`
}

type Video struct {
	Protocols []Protocol `json:"protocols,omitempty"`
	Skip      *Flag      `json:"skip,omitempty"`
}

// Agent is UserAgent under another name.
type Agent struct {
	Browsers []BrandVersion `json:"browsers,omitempty"`
	Platform *BrandVersion  `json:"platform,omitempty"`
	Mobile   *int8          `json:"mobile,omitempty"`
	Arch     string         `json:"architecture,omitempty"`
	Bitness  string         `json:"bitness,omitempty"`
	Model    string         `json:"model,omitempty"`
	Source   int            `json:"source,omitempty"`
}

type BrandVersion struct {
	Brand string `json:"brand"`
}

// Skadn is not in OpenRTB.
type Skadn struct {
	Version string `json:"version"`
}

type (
	Protocol int8
	Flag     = int8
)

func (p Protocol) String() string { return "" }
