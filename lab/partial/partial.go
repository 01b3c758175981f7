// Package partial has the struct of a bidder that needs twenty fields of a request. codec_gen.go
// is rtbwire's codec for it; the libraries that decode structs get the same one.
package partial

//go:generate go -C ../.. run ./cmd/rtbwire-gen --dir lab/partial Request

// Request has the fields of a bid request that a simple bidder reads.
type Request struct {
	ID     string   `json:"id"`
	Imp    []Imp    `json:"imp"`
	Site   *Site    `json:"site"`
	App    *App     `json:"app"`
	Device *Device  `json:"device"`
	User   *User    `json:"user"`
	At     int      `json:"at"`
	TMax   int      `json:"tmax"`
	Cur    []string `json:"cur"`
}

// Imp is an impression.
type Imp struct {
	ID       string  `json:"id"`
	TagID    string  `json:"tagid"`
	BidFloor float64 `json:"bidfloor"`
	Secure   int     `json:"secure"`
	Banner   *Banner `json:"banner"`
}

// Banner is a size.
type Banner struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Site is a website.
type Site struct {
	Domain string `json:"domain"`
	Page   string `json:"page"`
}

// App is an application.
type App struct {
	Bundle string `json:"bundle"`
}

// Device is a device.
type Device struct {
	UA       string `json:"ua"`
	IP       string `json:"ip"`
	OS       string `json:"os"`
	Language string `json:"language"`
	Geo      *Geo   `json:"geo"`
}

// Geo is a place.
type Geo struct {
	Country string `json:"country"`
}

// User is a person.
type User struct {
	ID       string `json:"id"`
	BuyerUID string `json:"buyeruid"`
}
