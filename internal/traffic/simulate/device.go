package simulate

// platform is what a device's user agent looks like.
type platform uint8

const (
	android platform = iota
	ios
	windows
	mac
	linux
	chromeOS
	roku
	tizen
	webOS
	fireTV
	tvOS
	screen // a screen outside the home
	platforms
)

// class is a class of devices. A user has at most one device of each.
type class uint8

const (
	phone class = iota
	tablet
	computer
	television
	outdoor
	classes
)

// model is a device that many people have.
type model struct {
	platform    platform
	class       class
	weight      int
	deviceType  int // AdCOM: device types
	make, model string
	hwv         string
	w, h        int // in pixels of the screen
	ratio       int // of these to device independent pixels, in thousandths
	ppi         int
	low, high   int // the first and the last version of the system, in the platform's list
}

var models = [...]model{
	{android, phone, 9, 4, "Samsung", "SM-S921B", "", 1080, 2340, 3000, 416, 3, 4},
	{android, phone, 12, 4, "Samsung", "SM-A155F", "", 1080, 2340, 2812, 396, 3, 4},
	{android, phone, 11, 4, "Samsung", "SM-A546B", "", 1080, 2340, 3000, 403, 2, 4},
	{android, phone, 6, 4, "Samsung", "SM-G991B", "", 1080, 2400, 3000, 421, 1, 4},
	{android, phone, 5, 4, "Google", "Pixel 8", "", 1080, 2400, 2625, 428, 3, 4},
	{android, phone, 3, 4, "Google", "Pixel 7a", "", 1080, 2400, 2625, 429, 2, 4},
	{android, phone, 7, 4, "Xiaomi", "2201117TY", "", 1080, 2400, 2750, 409, 0, 2},
	{android, phone, 6, 4, "Xiaomi", "23021RAA2Y", "", 1080, 2400, 2750, 395, 2, 3},
	{android, phone, 5, 4, "OPPO", "CPH2239", "", 720, 1600, 2000, 269, 0, 2},
	{android, phone, 4, 4, "motorola", "moto g54 5G", "", 1080, 2400, 2625, 405, 2, 3},
	{android, phone, 3, 4, "OnePlus", "CPH2449", "", 1440, 3216, 3500, 451, 2, 4},
	{android, phone, 3, 4, "realme", "RMX3630", "", 1080, 2400, 3000, 400, 1, 3},
	{ios, phone, 12, 4, "Apple", "iPhone", "iPhone14,5", 1170, 2532, 3000, 460, 1, 6},
	{ios, phone, 9, 4, "Apple", "iPhone", "iPhone15,2", 1179, 2556, 3000, 460, 1, 6},
	{ios, phone, 8, 4, "Apple", "iPhone", "iPhone12,1", 828, 1792, 2000, 326, 0, 6},
	{ios, phone, 8, 4, "Apple", "iPhone", "iPhone16,1", 1179, 2556, 3000, 461, 2, 6},
	{ios, phone, 5, 4, "Apple", "iPhone", "iPhone13,2", 1170, 2532, 3000, 460, 0, 6},
	{ios, phone, 4, 4, "Apple", "iPhone", "iPhone17,3", 1179, 2556, 3000, 460, 5, 6},
	{ios, phone, 3, 4, "Apple", "iPhone", "iPhone14,6", 750, 1334, 2000, 326, 1, 6},
	{android, tablet, 5, 5, "Samsung", "SM-X200", "", 1200, 1920, 1500, 216, 0, 3},
	{android, tablet, 3, 5, "Samsung", "SM-X710", "", 1600, 2560, 2000, 274, 2, 4},
	{ios, tablet, 7, 5, "Apple", "iPad", "iPad13,18", 1640, 2360, 2000, 264, 1, 6},
	{ios, tablet, 5, 5, "Apple", "iPad", "iPad12,1", 1620, 2160, 2000, 264, 0, 6},
	{windows, computer, 44, 2, "", "", "", 1920, 1080, 1000, 96, 0, 1},
	{windows, computer, 18, 2, "", "", "", 1920, 1080, 1250, 120, 0, 1},
	{windows, computer, 8, 2, "", "", "", 2560, 1440, 1000, 109, 0, 1},
	{mac, computer, 14, 2, "Apple", "Macintosh", "", 2880, 1800, 2000, 227, 0, 2},
	{mac, computer, 8, 2, "Apple", "Macintosh", "", 3456, 2234, 2000, 254, 0, 2},
	{linux, computer, 4, 2, "", "", "", 1920, 1080, 1000, 96, 0, 0},
	{chromeOS, computer, 4, 2, "", "", "", 1366, 768, 1000, 112, 0, 0},
	{roku, television, 22, 3, "Roku", "3820X", "", 1920, 1080, 1000, 0, 0, 2},
	{roku, television, 12, 7, "Roku", "4802X", "", 1920, 1080, 1000, 0, 0, 2},
	{tizen, television, 14, 3, "Samsung", "UN55TU7000", "", 1920, 1080, 1000, 0, 0, 1},
	{tizen, television, 12, 3, "Samsung", "QN65Q60CAFXZA", "", 1920, 1080, 1000, 0, 2, 3},
	{webOS, television, 14, 3, "LG", "OLED55C1PUB", "", 1920, 1080, 1000, 0, 0, 1},
	{webOS, television, 6, 3, "LG", "55UR8000AUA", "", 1920, 1080, 1000, 0, 2, 2},
	{fireTV, television, 14, 7, "Amazon", "AFTMM", "", 1920, 1080, 1000, 0, 0, 0},
	{fireTV, television, 8, 7, "Amazon", "AFTKA", "", 1920, 1080, 1000, 0, 1, 1},
	{tvOS, television, 8, 7, "Apple", "Apple TV", "AppleTV11,1", 1920, 1080, 1000, 0, 0, 2},
	{screen, outdoor, 6, 8, "BrightSign", "XD1035", "", 1080, 1920, 1000, 0, 0, 0},
	{screen, outdoor, 4, 8, "Samsung", "QM55C", "", 1920, 1080, 1000, 0, 1, 1},
}

// screen is the size of the screen in device independent pixels.
func (m *model) screen() size { return size{m.w * 1000 / m.ratio, m.h * 1000 / m.ratio} }

// version is a version of a system.
type version struct {
	osv    string // for device.osv
	ua     string // as the user agent has it
	detail string // the rest of what the user agent has: a build, an engine
	client string // for apps that speak for themselves: CFNetwork and Darwin
	hint   string // sua: the platform's version
}

// systems are the names of the platforms and their versions, oldest first.
var systems = [platforms]struct {
	os, brand string // device.os; sua: the platform's brand
	versions  []version
}{
	android: {"Android", "Android", []version{
		{"11", "11", "RP1A.200720.012", "", "11.0.0"},
		{"12", "12", "SP1A.210812.016", "", "12.0.0"},
		{"13", "13", "TP1A.220624.014", "", "13.0.0"},
		{"14", "14", "UP1A.231005.007", "", "14.0.0"},
		{"15", "15", "AP3A.240905.015.A2", "", "15.0.0"},
	}},
	ios: {"iOS", "iOS", []version{
		{"16.7.10", "16_7_10", "16.6", "CFNetwork/1410.1 Darwin/22.6.0", "16.7.10"},
		{"17.4.1", "17_4_1", "17.4.1", "CFNetwork/1494.0.7 Darwin/23.4.0", "17.4.1"},
		{"17.5.1", "17_5_1", "17.5", "CFNetwork/1496.0.7 Darwin/23.5.0", "17.5.1"},
		{"17.6.1", "17_6_1", "17.6", "CFNetwork/1498.700.2 Darwin/23.6.0", "17.6.1"},
		{"18.1.1", "18_1_1", "18.1.1", "CFNetwork/1568.200.51 Darwin/24.1.0", "18.1.1"},
		{"18.2", "18_2", "18.2", "CFNetwork/1568.300.101 Darwin/24.2.0", "18.2.0"},
		{"18.5", "18_5", "18.5", "CFNetwork/3826.500.111.2.2 Darwin/24.5.0", "18.5.0"},
	}},
	windows:  {"Windows", "Windows", []version{{"10", "10.0", "", "", "10.0.0"}, {"11", "10.0", "", "", "15.0.0"}}},
	mac:      {"macOS", "macOS", []version{{"10.15.7", "10_15_7", "17.6", "", "14.6.1"}, {"10.15.7", "10_15_7", "18.2", "", "15.2.0"}, {"10.15.7", "10_15_7", "18.5", "", "15.5.0"}}},
	linux:    {"Linux", "Linux", []version{{"", "", "", "", "6.8.0"}}},
	chromeOS: {"ChromeOS", "Chrome OS", []version{{"14541.0.0", "14541.0.0", "", "", "16181.61.0"}}},
	roku: {"Roku OS", "", []version{
		{"12.5.5", "12.5", "12.5.5.4174-C2", "", ""}, {"13.0.0", "13.0", "13.0.0.4122-C2", "", ""}, {"14.0.4", "14.0", "14.0.4.1208-C2", "", ""},
	}},
	tizen: {"Tizen", "", []version{
		{"5.5", "5.5", "69.0.3497.106.1/5.5", "", ""}, {"6.0", "6.0", "76.0.3809.146/6.0", "", ""},
		{"6.5", "6.5", "85.0.4183.93/6.5", "", ""}, {"7.0", "7.0", "94.0.4606.31/7.0", "", ""},
	}},
	webOS: {"webOS", "", []version{
		{"6.0", "", "79.0.3945.79", "", ""}, {"22", "", "87.0.4280.88", "", ""}, {"23", "", "94.0.4606.128", "", ""},
	}},
	fireTV: {"Android", "", []version{{"9", "9", "PS7646", "", ""}, {"11", "11", "RS8136", "", ""}}},
	tvOS: {"tvOS", "", []version{
		{"17.4", "17_4", "21L227", "", ""}, {"17.5.1", "17_5_1", "21L580", "", ""}, {"18.2", "18_2", "22K155", "", ""},
	}},
	screen: {"Linux", "", []version{{"", "", "9.0.145", "", ""}, {"", "", "6.5", "", ""}}},
}
