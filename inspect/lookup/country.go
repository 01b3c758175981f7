package lookup

// Country is a country of ISO 3166-1: its two letters (alpha-2), in upper case. The zero value is
// no country.
type Country [2]byte

// String returns the two letters; "" for the zero value. It allocates nothing.
func (c Country) String() string {
	if !isLetter(c[0]) || !isLetter(c[1]) {
		return ""
	}
	at := 2 * (int(c[0]-'A')*letters + int(c[1]-'A'))
	return pairs[at : at+2]
}

// Assigned reports whether ISO 3166-1 has the country. Databases also have codes such as EU, for
// addresses of several countries.
func (c Country) Assigned() bool { return assigned[c] }

// assigned are the countries of ISO 3166-1.
var assigned = func() map[Country]bool {
	all := map[Country]bool{}
	for _, c := range byAlpha3 {
		if c != (Country{}) {
			all[c] = true
		}
	}
	return all
}()

const letters = 26

// pairs are all pairs of letters, so that String has a text to return.
var pairs = func() string {
	text := make([]byte, 0, 2*letters*letters)
	for a := byte('A'); a <= 'Z'; a++ {
		for b := byte('A'); b <= 'Z'; b++ {
			text = append(text, a, b)
		}
	}
	return string(text)
}()

// ParseCountry returns the country that a code means: three letters (alpha-3), as in OpenRTB's
// geo.country, or two (alpha-2), in any case. Codes of three letters must be assigned; of two
// letters all pairs are accepted, as databases have their own, such as EU. It reports false, and no
// country, for every other text. It allocates nothing.
func ParseCountry(code string) (Country, bool) {
	if len(code) != 2 && len(code) != 3 {
		return Country{}, false
	}
	n := 0
	for i := range len(code) {
		if !isLetter(upper(code[i])) {
			return Country{}, false
		}
		n = n*letters + int(upper(code[i])-'A')
	}
	if len(code) == 2 {
		return Country{upper(code[0]), upper(code[1])}, true
	}
	c := byAlpha3[n]
	return c, c != Country{}
}

// byAlpha3 are the countries by the number of their three letters in base 26.
var byAlpha3 = func() (t [letters * letters * letters]Country) {
	for i := 0; i < len(alpha3); i += len("AFGAF") {
		e := alpha3[i:]
		t[(int(e[0]-'A')*letters+int(e[1]-'A'))*letters+int(e[2]-'A')] = Country{e[3], e[4]}
	}
	return t
}()

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// alpha3 are the assigned codes of ISO 3166-1, three letters and then two, in order; 249 of them.
// Kosovo has none; XKX and XKK are in use for XK.
const alpha3 = "ABWAWAFGAFAGOAOAIAAIALAAXALBALANDADAREAEARGARARMAMASMASATAAQATFTFATGAGAUSAUAUTATAZEAZBDIBIBELBE" +
	"BENBJBESBQBFABFBGDBDBGRBGBHRBHBHSBSBIHBABLMBLBLRBYBLZBZBMUBMBOLBOBRABRBRBBBBRNBNBTNBTBVTBVBWABW" +
	"CAFCFCANCACCKCCCHECHCHLCLCHNCNCIVCICMRCMCODCDCOGCGCOKCKCOLCOCOMKMCPVCVCRICRCUBCUCUWCWCXRCXCYMKY" +
	"CYPCYCZECZDEUDEDJIDJDMADMDNKDKDOMDODZADZECUECEGYEGERIERESHEHESPESESTEEETHETFINFIFJIFJFLKFKFRAFR" +
	"FROFOFSMFMGABGAGBRGBGEOGEGGYGGGHAGHGIBGIGINGNGLPGPGMBGMGNBGWGNQGQGRCGRGRDGDGRLGLGTMGTGUFGFGUMGU" +
	"GUYGYHKGHKHMDHMHNDHNHRVHRHTIHTHUNHUIDNIDIMNIMINDINIOTIOIRLIEIRNIRIRQIQISLISISRILITAITJAMJMJEYJE" +
	"JORJOJPNJPKAZKZKENKEKGZKGKHMKHKIRKIKNAKNKORKRKWTKWLAOLALBNLBLBRLRLBYLYLCALCLIELILKALKLSOLSLTULT" +
	"LUXLULVALVMACMOMAFMFMARMAMCOMCMDAMDMDGMGMDVMVMEXMXMHLMHMKDMKMLIMLMLTMTMMRMMMNEMEMNGMNMNPMPMOZMZ" +
	"MRTMRMSRMSMTQMQMUSMUMWIMWMYSMYMYTYTNAMNANCLNCNERNENFKNFNGANGNICNINIUNUNLDNLNORNONPLNPNRUNRNZLNZ" +
	"OMNOMPAKPKPANPAPCNPNPERPEPHLPHPLWPWPNGPGPOLPLPRIPRPRKKPPRTPTPRYPYPSEPSPYFPFQATQAREUREROURORUSRU" +
	"RWARWSAUSASDNSDSENSNSGPSGSGSGSSHNSHSJMSJSLBSBSLESLSLVSVSMRSMSOMSOSPMPMSRBRSSSDSSSTPSTSURSRSVKSK" +
	"SVNSISWESESWZSZSXMSXSYCSCSYRSYTCATCTCDTDTGOTGTHATHTJKTJTKLTKTKMTMTLSTLTONTOTTOTTTUNTNTURTRTUVTV" +
	"TWNTWTZATZUGAUGUKRUAUMIUMURYUYUSAUSUZBUZVATVAVCTVCVENVEVGBVGVIRVIVNMVNVUTVUWLFWFWSMWSXKKXKXKXXK" +
	"YEMYEZAFZAZMBZMZWEZW"
