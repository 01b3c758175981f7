package schema

// currencyCodes are the alphabetic codes of ISO 4217 in use: currencies, funds, metals and units of
// account. XTS (tests) and XXX (none) are no prices.
const currencyCodes = "AEDAFNALLAMDANGAOAARSAUDAWGAZNBAMBBDBDTBGNBHDBIFBMDBNDBOBBOVBRLBSDBTNBWPBYNBZD" +
	"CADCDFCHECHFCHWCLFCLPCNYCOPCOUCRCCUPCVECZKDJFDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGHSGIPGMDGNFGTQGYD" +
	"HKDHNLHTGHUFIDRILSINRIQDIRRISKJMDJODJPYKESKGSKHRKMFKPWKRWKWDKYDKZTLAKLBPLKRLRDLSLLYDMADMDLMGAMKDMMK" +
	"MNTMOPMRUMURMVRMWKMXNMXVMYRMZNNADNGNNIONOKNPRNZDOMRPABPENPGKPHPPKRPLNPYGQARRONRSDRUBRWF" +
	"SARSBDSCRSDGSEKSGDSHPSLESOSSRDSSPSTNSVCSYPSZLTHBTJSTMTTNDTOPTRYTTDTWDTZSUAHUGXUSDUSNUYIUYUUYWUZS" +
	"VEDVESVNDVUVWSTXAFXAGXAUXBAXBBXBCXBDXCDXCGXDRXOFXPDXPFXPTXSUXUAYERZARZMWZWG"

// currencies has a bit for each code, numbered in base 26.
var currencies = func() (set [26*26*26/64 + 1]uint64) {
	for i := 0; i < len(currencyCodes); i += 3 {
		n := currencyNumber(currencyCodes[i : i+3])
		set[n/64] |= 1 << (n % 64)
	}
	return set
}()

// currencyNumber numbers three capital letters.
func currencyNumber(code string) uint {
	return uint(code[0]-'A')*26*26 + uint(code[1]-'A')*26 + uint(code[2]-'A')
}

// IsCurrency reports whether the code is a currency of ISO 4217: three capital letters that the
// standard assigns, other than XTS and XXX.
func IsCurrency(code string) bool { return formatIso4217(code) && formatIso4217Code(code) }

// formatIso4217Code accepts the codes that ISO 4217 assigns, and ignores what is not three capitals
// to formatIso4217: a fault has one finding.
func formatIso4217Code(s string) bool {
	if !formatIso4217(s) {
		return true
	}
	n := currencyNumber(s)
	return currencies[n/64]&(1<<(n%64)) != 0
}
