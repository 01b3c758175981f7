package simulate

// language has the words that sites, apps and pages of a language are named with.
type language struct {
	code  string   // ISO 639-1
	tag   string   // BCP 47
	words []string // ASCII, for domains, bundles and paths
	names []string // the same words as people write them
	title string   // of a page, before a name
}

const (
	english = iota
	german
	french
	spanish
	portuguese
	italian
	dutch
	polish
	swedish
	turkish
	japanese
	korean
	indonesian
	hindi
)

var languages = [...]language{
	english: {
		"en", "en",
		[]string{"daily", "garden", "puzzle", "weather", "kitchen", "football", "travel", "market", "star", "river", "movie", "health", "home", "wordly", "racing", "farm"},
		[]string{"Daily", "Garden", "Puzzle", "Weather", "Kitchen", "Football", "Travel", "Market", "Star", "River", "Movie", "Health", "Home", "Wordly", "Racing", "Farm"},
		"Live: ",
	},
	german: {
		"de", "de",
		[]string{"zeitung", "garten", "raetsel", "wetter", "kueche", "fussball", "reise", "markt", "stern", "fluss", "kino", "gesund", "haus", "woerter", "rennen", "muehle"},
		[]string{"Zeitung", "Garten", "Rätsel", "Wetter", "Küche", "Fußball", "Reise", "Markt", "Stern", "Fluss", "Kino", "Gesund", "Haus", "Wörter", "Rennen", "Mühle"},
		"Neu: ",
	},
	french: {
		"fr", "fr",
		[]string{"journal", "jardin", "enigme", "meteo", "cuisine", "football", "voyage", "marche", "etoile", "riviere", "cinema", "sante", "maison", "mots", "course", "ferme"},
		[]string{"Journal", "Jardin", "Énigme", "Météo", "Cuisine", "Football", "Voyage", "Marché", "Étoile", "Rivière", "Cinéma", "Santé", "Maison", "Mots", "Course", "Ferme"},
		"À lire : ",
	},
	spanish: {
		"es", "es",
		[]string{"diario", "jardin", "acertijo", "tiempo", "cocina", "futbol", "viaje", "mercado", "estrella", "rio", "cine", "salud", "casa", "palabras", "carrera", "granja"},
		[]string{"Diario", "Jardín", "Acertijo", "Tiempo", "Cocina", "Fútbol", "Viaje", "Mercado", "Estrella", "Río", "Cine", "Salud", "Casa", "Palabras", "Carrera", "Granja"},
		"¿Qué pasa? ",
	},
	portuguese: {
		"pt", "pt-BR",
		[]string{"jornal", "jardim", "enigma", "tempo", "cozinha", "futebol", "viagem", "mercado", "estrela", "rio", "cinema", "saude", "casa", "palavras", "corrida", "fazenda"},
		[]string{"Jornal", "Jardim", "Enigma", "Tempo", "Cozinha", "Futebol", "Viagem", "Mercado", "Estrela", "Rio", "Cinema", "Saúde", "Casa", "Palavras", "Corrida", "Fazenda"},
		"Notícias: ",
	},
	italian: {
		"it", "it",
		[]string{"giornale", "giardino", "enigma", "meteo", "cucina", "calcio", "viaggio", "mercato", "stella", "fiume", "cinema", "salute", "casa", "parole", "corsa", "fattoria"},
		[]string{"Giornale", "Giardino", "Enigma", "Meteo", "Cucina", "Calcio", "Viaggio", "Mercato", "Stella", "Fiume", "Cinema", "Salute", "Casa", "Parole", "Corsa", "Fattoria"},
		"Perché: ",
	},
	dutch: {
		"nl", "nl",
		[]string{"krant", "tuin", "puzzel", "weer", "keuken", "voetbal", "reis", "markt", "ster", "rivier", "film", "gezond", "huis", "woorden", "race", "boerderij"},
		[]string{"Krant", "Tuin", "Puzzel", "Weer", "Keuken", "Voetbal", "Reis", "Markt", "Ster", "Rivier", "Film", "Gezond", "Huis", "Woorden", "Race", "Boerderij"},
		"Nieuw: ",
	},
	polish: {
		"pl", "pl",
		[]string{"gazeta", "ogrod", "zagadka", "pogoda", "kuchnia", "pilka", "podroz", "rynek", "gwiazda", "rzeka", "kino", "zdrowie", "dom", "slowa", "wyscig", "farma"},
		[]string{"Gazeta", "Ogród", "Zagadka", "Pogoda", "Kuchnia", "Piłka", "Podróż", "Rynek", "Gwiazda", "Rzeka", "Kino", "Zdrowie", "Dom", "Słowa", "Wyścig", "Farma"},
		"Na żywo: ",
	},
	swedish: {
		"sv", "sv",
		[]string{"tidning", "tradgard", "gata", "vader", "kok", "fotboll", "resa", "marknad", "stjarna", "flod", "bio", "halsa", "hem", "ord", "lopp", "gard"},
		[]string{"Tidning", "Trädgård", "Gåta", "Väder", "Kök", "Fotboll", "Resa", "Marknad", "Stjärna", "Flod", "Bio", "Hälsa", "Hem", "Ord", "Lopp", "Gård"},
		"Nytt: ",
	},
	turkish: {
		"tr", "tr",
		[]string{"gazete", "bahce", "bulmaca", "hava", "mutfak", "futbol", "seyahat", "pazar", "yildiz", "nehir", "sinema", "saglik", "ev", "kelime", "yaris", "ciftlik"},
		[]string{"Gazete", "Bahçe", "Bulmaca", "Hava", "Mutfak", "Futbol", "Seyahat", "Pazar", "Yıldız", "Nehir", "Sinema", "Sağlık", "Ev", "Kelime", "Yarış", "Çiftlik"},
		"Canlı: ",
	},
	japanese: {
		"ja", "ja",
		[]string{"shimbun", "niwa", "nazo", "tenki", "daidokoro", "soccer", "tabi", "ichiba", "hoshi", "kawa", "eiga", "kenko", "ie", "kotoba", "reisu", "bokujo"},
		[]string{"新聞", "庭", "謎", "天気", "台所", "サッカー", "旅", "市場", "星", "川", "映画", "健康", "家", "言葉", "レース", "牧場"},
		"速報：",
	},
	korean: {
		"ko", "ko",
		[]string{"sinmun", "jeongwon", "puzeul", "nalssi", "bueok", "chukgu", "yeohaeng", "sijang", "byeol", "gang", "yeonghwa", "geongang", "jip", "daneo", "reiseu", "nongjang"},
		[]string{"신문", "정원", "퍼즐", "날씨", "부엌", "축구", "여행", "시장", "별", "강", "영화", "건강", "집", "단어", "레이스", "농장"},
		"속보: ",
	},
	indonesian: {
		"id", "id",
		[]string{"koran", "taman", "tebak", "cuaca", "dapur", "bola", "jalan", "pasar", "bintang", "sungai", "film", "sehat", "rumah", "kata", "balap", "kebun"},
		[]string{"Koran", "Taman", "Tebak", "Cuaca", "Dapur", "Bola", "Jalan", "Pasar", "Bintang", "Sungai", "Film", "Sehat", "Rumah", "Kata", "Balap", "Kebun"},
		"Terkini: ",
	},
	hindi: {
		"hi", "hi",
		[]string{"samachar", "bagicha", "paheli", "mausam", "rasoi", "football", "yatra", "bazaar", "tara", "nadi", "film", "sehat", "ghar", "shabd", "daud", "khet"},
		[]string{"समाचार", "बगीचा", "पहेली", "मौसम", "रसोई", "फुटबॉल", "यात्रा", "बाज़ार", "तारा", "नदी", "फ़िल्म", "सेहत", "घर", "शब्द", "दौड़", "खेत"},
		"ताज़ा: ",
	},
}

// categories are what the words are about: IAB content categories 1.0, in the order of the words.
var categories = [...]string{"IAB12", "IAB10-4", "IAB9-30", "IAB15-10", "IAB8-5", "IAB17-12", "IAB20", "IAB22", "IAB14", "IAB20-18", "IAB1-5", "IAB7", "IAB10", "IAB9-5", "IAB2-1", "IAB16"}

// genres of films and series, in English as most platforms send them.
var genres = [...]string{"drama", "comedy", "documentary", "news", "sports", "kids", "crime", "lifestyle"}
