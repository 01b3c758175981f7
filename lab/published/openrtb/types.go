// Package openrtb has the data model of the articles that the lab measures again, the 70 fields
// of 11 objects that they decode, and a request with the members of theirs. codec_gen.go is what
// rtbwire-gen writes for it.
//
// Which fields there are, and which are pointers, is what the articles have; their code is not
// here.
package openrtb

import "encoding/json"

//go:generate go -C ../../.. run ./cmd/rtbwire-gen --dir lab/published/openrtb BidRequest

// BidRequest is what an exchange asks a bidder.
type BidRequest struct {
	ID     string          `json:"id"`
	Imp    []Imp           `json:"imp"`
	Site   *Site           `json:"site,omitempty"`
	App    *App            `json:"app,omitempty"`
	Device *Device         `json:"device,omitempty"`
	User   *User           `json:"user,omitempty"`
	At     *int            `json:"at,omitempty"`
	TMax   *int            `json:"tmax,omitempty"`
	BCat   []string        `json:"bcat,omitempty"`
	BAdv   []string        `json:"badv,omitempty"`
	Ext    json.RawMessage `json:"ext,omitempty"`
}

// Imp is an impression that is for sale.
type Imp struct {
	ID          string          `json:"id"`
	Banner      *Banner         `json:"banner,omitempty"`
	Video       *Video          `json:"video,omitempty"`
	Native      *Native         `json:"native,omitempty"`
	BidFloor    *float64        `json:"bidfloor,omitempty"`
	BidFloorCur string          `json:"bidfloorcur,omitempty"`
	Secure      *int            `json:"secure,omitempty"`
	Ext         json.RawMessage `json:"ext,omitempty"`
}

// Banner says which images fit.
type Banner struct {
	Format []Format        `json:"format,omitempty"`
	W      *int            `json:"w,omitempty"`
	H      *int            `json:"h,omitempty"`
	MIMEs  []string        `json:"mimes,omitempty"`
	Pos    *int            `json:"pos,omitempty"`
	Ext    json.RawMessage `json:"ext,omitempty"`
}

// Format is a size; it is the only object without optional fields.
type Format struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Video says which films fit.
type Video struct {
	MIMEs          []string        `json:"mimes"`
	MinDuration    *int            `json:"minduration,omitempty"`
	MaxDuration    *int            `json:"maxduration,omitempty"`
	Protocols      []int           `json:"protocols,omitempty"`
	W              *int            `json:"w,omitempty"`
	H              *int            `json:"h,omitempty"`
	Linearity      *int            `json:"linearity,omitempty"`
	Skip           *int            `json:"skip,omitempty"`
	PlaybackMethod []int           `json:"playbackmethod,omitempty"`
	Ext            json.RawMessage `json:"ext,omitempty"`
}

// Native has a request of its own as text.
type Native struct {
	Request string          `json:"request"`
	Ver     *string         `json:"ver,omitempty"`
	Ext     json.RawMessage `json:"ext,omitempty"`
}

// Site is a website.
type Site struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Domain    string          `json:"domain,omitempty"`
	Page      string          `json:"page,omitempty"`
	Publisher *Publisher      `json:"publisher,omitempty"`
	Ext       json.RawMessage `json:"ext,omitempty"`
}

// App is a program on a device.
type App struct {
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Bundle    string          `json:"bundle,omitempty"`
	Domain    string          `json:"domain,omitempty"`
	Publisher *Publisher      `json:"publisher,omitempty"`
	Ext       json.RawMessage `json:"ext,omitempty"`
}

// Publisher sells.
type Publisher struct {
	ID     string          `json:"id,omitempty"`
	Name   string          `json:"name,omitempty"`
	Domain string          `json:"domain,omitempty"`
	Ext    json.RawMessage `json:"ext,omitempty"`
}

// Device shows what was bought.
type Device struct {
	UA         string          `json:"ua,omitempty"`
	IP         string          `json:"ip,omitempty"`
	DeviceType *int            `json:"devicetype,omitempty"`
	Make       string          `json:"make,omitempty"`
	Model      string          `json:"model,omitempty"`
	OS         string          `json:"os,omitempty"`
	OSV        string          `json:"osv,omitempty"`
	Language   string          `json:"language,omitempty"`
	Ext        json.RawMessage `json:"ext,omitempty"`
}

// User looks at it.
type User struct {
	ID       string          `json:"id,omitempty"`
	BuyerUID string          `json:"buyeruid,omitempty"`
	Yob      *int            `json:"yob,omitempty"`
	Gender   string          `json:"gender,omitempty"`
	Ext      json.RawMessage `json:"ext,omitempty"`
}
