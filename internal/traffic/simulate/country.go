package simulate

// country is where users live. Address ranges are from the plans of large providers there. They
// are examples: enough for a database of countries to agree, not a database themselves.
type country struct {
	code     string // ISO 3166-1 alpha-3, as OpenRTB has it
	store    string // alpha-2 in lower case, as app stores have it
	weight   int
	language int // the main one
	minority int // a second one, or the same
	currency int
	utc      int    // minutes east of UTC, without summer time
	law      law    // what the law on privacy asks for
	zip      string // the form of postal codes: 0 is a digit, A a letter
	cities   []city
	mobile   []carrier
	fixed    []network
}

// city is a place. Coordinates are in ten-thousandths of a degree.
type city struct {
	name, region string
	lat, lon     int
	metro        string // DMA code, in the United States
}

// carrier is a mobile network.
type carrier struct {
	name, mccmnc string
	network
}

// network has addresses.
type network struct {
	v4   uint32 // the first address
	bits int    // of the prefix
	v6   uint32 // the first 32 bits, 0 for none
}

// law is a law on privacy.
type law uint8

const (
	lawNone law = iota
	lawGDPR
	lawUS
)

// v4 returns an IPv4 address as a number.
func v4(a, b, c, d uint32) uint32 { return a<<24 | b<<16 | c<<8 | d }

// currency has an ISO 4217 code and what a US dollar is in it, in hundredths. Floors are made in
// dollars and converted with round rates: they need not be those of any day.
type currency struct {
	code string
	rate int
}

const (
	usd = iota
	eur
	gbp
	jpy
	inr
	brl
	mxn
	cad
	aud
	krw
	idr
	try
	pln
	sek
	chf
)

var currencies = [...]currency{
	usd: {"USD", 100},
	eur: {"EUR", 90},
	gbp: {"GBP", 80},
	jpy: {"JPY", 15000},
	inr: {"INR", 8500},
	brl: {"BRL", 550},
	mxn: {"MXN", 1900},
	cad: {"CAD", 140},
	aud: {"AUD", 150},
	krw: {"KRW", 140000},
	idr: {"IDR", 1600000},
	try: {"TRY", 4000},
	pln: {"PLN", 400},
	sek: {"SEK", 1000},
	chf: {"CHF", 85},
}

var countries = [...]country{
	{
		code: "USA", store: "us", weight: 32, language: english, minority: spanish, currency: usd, utc: -300, law: lawUS, zip: "00000",
		cities: []city{
			{"New York", "NY", 407128, -740060, "501"}, {"Atlanta", "GA", 337490, -843880, "524"}, {"Boston", "MA", 423601, -710589, "506"},
			{"Miami", "FL", 257617, -801918, "528"}, {"Philadelphia", "PA", 399526, -751652, "504"}, {"Charlotte", "NC", 352271, -808431, "517"},
		},
		mobile: []carrier{
			{"Verizon", "310-004", network{v4(174, 192, 0, 0), 10, 0x26001000}},
			{"AT&T", "310-410", network{v4(107, 64, 0, 0), 10, 0x26000380}},
			{"T-Mobile", "310-260", network{v4(172, 32, 0, 0), 11, 0x2607fb90}},
		},
		fixed: []network{{v4(73, 0, 0, 0), 8, 0x26010000}, {v4(98, 192, 0, 0), 10, 0x26010000}, {v4(71, 160, 0, 0), 11, 0}},
	},
	{
		code: "DEU", store: "de", weight: 9, language: german, minority: german, currency: eur, utc: 60, law: lawGDPR, zip: "00000",
		cities: []city{
			{"Berlin", "BE", 525200, 134050, ""}, {"Hamburg", "HH", 535511, 99937, ""}, {"München", "BY", 481351, 115820, ""},
			{"Köln", "NW", 509375, 69603, ""},
		},
		mobile: []carrier{
			{"Telekom.de", "262-01", network{v4(80, 187, 64, 0), 18, 0x2a010598}},
			{"Vodafone.de", "262-02", network{v4(109, 40, 0, 0), 13, 0}},
		},
		fixed: []network{{v4(79, 192, 0, 0), 10, 0x20030000}, {v4(87, 128, 0, 0), 10, 0x20030000}, {v4(93, 192, 0, 0), 10, 0}},
	},
	{
		code: "GBR", store: "gb", weight: 8, language: english, minority: english, currency: gbp, utc: 0, law: lawGDPR, zip: "AA0 0AA",
		cities: []city{
			{"London", "ENG", 515074, -1278, ""}, {"Manchester", "ENG", 534808, -22426, ""}, {"Glasgow", "SCT", 558642, -42518, ""},
		},
		mobile: []carrier{
			{"EE", "234-30", network{v4(31, 94, 0, 0), 16, 0x2a0104c8}},
			{"O2 - UK", "234-10", network{v4(82, 132, 192, 0), 18, 0}},
		},
		fixed: []network{{v4(86, 128, 0, 0), 11, 0}, {v4(90, 192, 0, 0), 11, 0}},
	},
	{
		code: "FRA", store: "fr", weight: 6, language: french, minority: french, currency: eur, utc: 60, law: lawGDPR, zip: "00000",
		cities: []city{
			{"Paris", "IDF", 488566, 23522, ""}, {"Lyon", "ARA", 457640, 48357, ""}, {"Orléans", "CVL", 479030, 19093, ""},
		},
		mobile: []carrier{
			{"Orange F", "208-01", network{v4(92, 184, 96, 0), 19, 0}},
			{"Bouygues Telecom", "208-20", network{v4(176, 128, 0, 0), 10, 0}},
		},
		fixed: []network{{v4(90, 0, 0, 0), 9, 0x2a01cb00}, {v4(88, 160, 0, 0), 11, 0x2a010e00}},
	},
	{
		code: "JPN", store: "jp", weight: 6, language: japanese, minority: japanese, currency: jpy, utc: 540, zip: "000-0000",
		cities: []city{{"東京", "13", 356762, 1396503, ""}, {"大阪市", "27", 346937, 1355023, ""}, {"札幌市", "01", 430618, 1413545, ""}},
		mobile: []carrier{
			{"NTT DOCOMO", "440-10", network{v4(1, 72, 0, 0), 13, 0}},
			{"KDDI", "440-50", network{v4(106, 128, 0, 0), 10, 0x20010268}},
		},
		fixed: []network{{v4(153, 128, 0, 0), 9, 0}, {v4(126, 0, 0, 0), 8, 0}},
	},
	{
		code: "IND", store: "in", weight: 6, language: english, minority: hindi, currency: inr, utc: 330, zip: "000000",
		cities: []city{{"Mumbai", "MH", 190760, 728777, ""}, {"Bengaluru", "KA", 129716, 775946, ""}, {"Delhi", "DL", 287041, 771025, ""}},
		mobile: []carrier{
			{"Jio", "405-854", network{v4(49, 32, 0, 0), 11, 0x24094000}},
			{"Airtel", "404-10", network{v4(223, 176, 0, 0), 12, 0x24014900}},
		},
		fixed: []network{{v4(122, 160, 0, 0), 12, 0}},
	},
	{
		code: "BRA", store: "br", weight: 5, language: portuguese, minority: portuguese, currency: brl, utc: -180, zip: "00000-000",
		cities: []city{{"São Paulo", "SP", -235505, -466333, ""}, {"Rio de Janeiro", "RJ", -229068, -431729, ""}, {"Curitiba", "PR", -254290, -492671, ""}},
		mobile: []carrier{
			{"Vivo", "724-06", network{v4(177, 24, 0, 0), 14, 0x28040018}},
			{"TIM", "724-03", network{v4(177, 56, 0, 0), 14, 0x28040214}},
		},
		fixed: []network{{v4(177, 128, 0, 0), 10, 0}},
	},
	{
		code: "CAN", store: "ca", weight: 4, language: english, minority: french, currency: cad, utc: -300, zip: "A0A 0A0",
		cities: []city{{"Toronto", "ON", 436532, -793832, ""}, {"Montréal", "QC", 455017, -735673, ""}, {"Ottawa", "ON", 454215, -756972, ""}},
		mobile: []carrier{
			{"Rogers", "302-720", network{v4(72, 136, 0, 0), 13, 0x2607fea8}},
			{"Bell", "302-610", network{v4(184, 144, 0, 0), 13, 0x2605b100}},
		},
		fixed: []network{{v4(99, 224, 0, 0), 11, 0x2607fea8}},
	},
	{
		code: "AUS", store: "au", weight: 3, language: english, minority: english, currency: aud, utc: 600, zip: "0000",
		cities: []city{{"Sydney", "NSW", -338688, 1512093, ""}, {"Melbourne", "VIC", -378136, 1449631, ""}},
		mobile: []carrier{
			{"Telstra", "505-01", network{v4(1, 120, 0, 0), 13, 0x20018004}},
			{"Optus", "505-02", network{v4(49, 176, 0, 0), 12, 0}},
		},
		fixed: []network{{v4(58, 160, 0, 0), 12, 0}},
	},
	{
		code: "ITA", store: "it", weight: 3, language: italian, minority: italian, currency: eur, utc: 60, law: lawGDPR, zip: "00000",
		cities: []city{{"Roma", "62", 419028, 124964, ""}, {"Milano", "25", 454642, 91900, ""}, {"Cefalù", "82", 380394, 140221, ""}},
		mobile: []carrier{{"WindTre", "222-88", network{v4(151, 16, 0, 0), 12, 0}}, {"Vodafone IT", "222-10", network{v4(5, 90, 0, 0), 15, 0}}},
		fixed:  []network{{v4(79, 0, 0, 0), 10, 0}, {v4(87, 0, 0, 0), 11, 0}},
	},
	{
		code: "ESP", store: "es", weight: 3, language: spanish, minority: spanish, currency: eur, utc: 60, law: lawGDPR, zip: "00000",
		cities: []city{{"Madrid", "MD", 404168, -37038, ""}, {"Málaga", "AN", 367213, -44214, ""}},
		mobile: []carrier{{"Movistar", "214-07", network{v4(176, 80, 0, 0), 13, 0}}, {"Vodafone ES", "214-01", network{v4(77, 208, 0, 0), 14, 0}}},
		fixed:  []network{{v4(83, 32, 0, 0), 11, 0}, {v4(88, 0, 0, 0), 11, 0}},
	},
	{
		code: "MEX", store: "mx", weight: 3, language: spanish, minority: spanish, currency: mxn, utc: -360, zip: "00000",
		cities: []city{{"Ciudad de México", "CMX", 194326, -991332, ""}, {"Mérida", "YUC", 209674, -895926, ""}},
		mobile: []carrier{{"TELCEL", "334-020", network{v4(187, 184, 0, 0), 13, 0}}},
		fixed:  []network{{v4(189, 128, 0, 0), 10, 0}},
	},
	{
		code: "KOR", store: "kr", weight: 2, language: korean, minority: korean, currency: krw, utc: 540, zip: "00000",
		cities: []city{{"서울", "11", 375665, 1269780, ""}, {"부산", "26", 351796, 1290756, ""}},
		mobile: []carrier{{"SKTelecom", "450-05", network{v4(223, 32, 0, 0), 11, 0x200102d8}}, {"KT", "450-08", network{v4(39, 7, 0, 0), 16, 0}}},
		fixed:  []network{{v4(121, 128, 0, 0), 10, 0}, {v4(1, 224, 0, 0), 11, 0}},
	},
	{
		code: "IDN", store: "id", weight: 2, language: indonesian, minority: indonesian, currency: idr, utc: 420, zip: "00000",
		cities: []city{{"Jakarta", "JK", -61751, 1068650, ""}, {"Surabaya", "JI", -72575, 1127521, ""}},
		mobile: []carrier{{"Telkomsel", "510-10", network{v4(114, 120, 0, 0), 13, 0}}},
		fixed:  []network{{v4(36, 64, 0, 0), 11, 0x2001448a}},
	},
	{
		code: "TUR", store: "tr", weight: 2, language: turkish, minority: turkish, currency: try, utc: 180, zip: "00000",
		cities: []city{{"İstanbul", "34", 410082, 289784, ""}, {"Eskişehir", "26", 397667, 305256, ""}},
		mobile: []carrier{{"Turkcell", "286-01", network{v4(178, 240, 0, 0), 13, 0}}},
		fixed:  []network{{v4(78, 160, 0, 0), 11, 0}, {v4(88, 224, 0, 0), 11, 0}},
	},
	{
		code: "NLD", store: "nl", weight: 2, language: dutch, minority: english, currency: eur, utc: 60, law: lawGDPR, zip: "0000 AA",
		cities: []city{{"Amsterdam", "NH", 523676, 49041, ""}, {"Eindhoven", "NB", 514416, 54697, ""}},
		mobile: []carrier{{"vodafone NL", "204-04", network{v4(62, 140, 132, 0), 22, 0}}},
		fixed:  []network{{v4(77, 160, 0, 0), 12, 0}, {v4(86, 80, 0, 0), 12, 0}},
	},
	{
		code: "POL", store: "pl", weight: 2, language: polish, minority: polish, currency: pln, utc: 60, law: lawGDPR, zip: "00-000",
		cities: []city{{"Warszawa", "14", 522297, 210122, ""}, {"Łódź", "10", 517592, 194560, ""}},
		mobile: []carrier{{"Orange PL", "260-03", network{v4(37, 47, 0, 0), 16, 0}}},
		fixed:  []network{{v4(83, 0, 0, 0), 11, 0}},
	},
	{
		code: "SWE", store: "se", weight: 1, language: swedish, minority: english, currency: sek, utc: 60, law: lawGDPR, zip: "000 00",
		cities: []city{{"Stockholm", "AB", 593293, 180686, ""}, {"Göteborg", "O", 577089, 119746, ""}},
		mobile: []carrier{{"TELIA S", "240-01", network{v4(78, 64, 0, 0), 12, 0}}},
		fixed:  []network{{v4(90, 224, 0, 0), 12, 0}},
	},
	{
		code: "CHE", store: "ch", weight: 1, language: german, minority: french, currency: chf, utc: 60, zip: "0000",
		cities: []city{{"Zürich", "ZH", 473769, 85417, ""}, {"Genève", "GE", 462044, 61432, ""}},
		mobile: []carrier{{"Swisscom", "228-01", network{v4(178, 197, 192, 0), 18, 0}}},
		fixed:  []network{{v4(85, 0, 0, 0), 13, 0}},
	},
}
