package runbook

import (
	"crypto/x509"
	"os"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
	"github.com/rtbwire/rtbwire/internal/mmdbtest"
)

const notLoaded = "a file was not loaded again; its last good content stays in use"

// withList is a configuration with a list that a rule asks.
const withList = `lists: {blocked: {kind: domain, file: blocked.txt}}
rules: [{name: blocked, when: site.domain in lists.blocked, severity: refuse}]
`

func writeList(s *stage) { s.write("blocked.txt", "blocked.example\n") }

// withRates is one with rates of exchange that may be a day old.
const withRates = "rates: {file: rates.csv, max_age: 24h}\n"

func writeRates(s *stage) { s.write("rates.csv", "EUR,1.08\n") }

// country is a database of countries.
func country(s *stage) string {
	db := mmdbtest.New(4, 24).Add("8.8.8.0/24", mmdbtest.Map{"country": mmdbtest.Map{"iso_code": "US"}})
	db.Epoch = uint64(s.began.Unix())
	return string(db.Bytes())
}

const withCountries = "fraud: {geoip: country.mmdb}\n"

func writeCountries(s *stage) { s.write("country.mmdb", country(s)) }

// withTLS is one with a certificate for a second listener.
const withTLS = "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], tls: {certificates: [{cert: rtb.pem, key: rtb.key}]}}\n"

var listenTLS = []string{"--listen", "https://127.0.0.1:0"}

// certify writes a certificate that ends after a time.
func certify(s *stage, left time.Duration) {
	s.Helper()
	certtest.New(s.T, "authority").Sign(s.T, []string{"rtb.example"}, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(left) }).Write(s.T, s.folder, "rtb")
}

func certifyWell(s *stage) { certify(s, 90*24*time.Hour) }

var fileFaults = []fault{
	{
		title: "A list has a bad line", config: withList, prepare: writeList,
		make: func(s *stage) { s.write("blocked.txt", "blocked.example\nnot a domain\n") },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="list"} = 1`, "followed_file_failures_total"}, page: []string{"file"},
		then: "The list before stays in use, so nothing is urgent. Correct the line that the log names, or find out why the job that writes the list wrote it. `bad_entries_max` lets single bad lines pass.",
	},
	{
		title: "A list is missing", config: withList, prepare: writeList,
		make: func(s *stage) { s.must(os.Remove(s.path("blocked.txt"))) },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="list"} = 1`, "followed_file_failures_total"}, page: []string{"file"},
		then: "The list before stays in use until the next start, which fails without the file. Put it back before you restart anything. Replace lists by renaming, not by removing.",
	},
	{
		title: "A list was emptied", config: withList, prepare: writeList,
		make: func(s *stage) { s.write("blocked.txt", "") },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="list"} = 1`}, page: []string{"file"},
		then: "A job that failed has written an empty file; the list before stays in use. Repair the job. A comment line makes a list that is empty on purpose valid.",
	},
	{
		title: "A list blocks too much", config: withList, prepare: writeList,
		make: func(s *stage) { s.write("blocked.txt", "a.example\n"); s.logged("a file was loaded again") },
		log:  []string{"msg=refused"}, metrics: []string{"rejected_total", `partner_requests_total{request_status="refused"}`}, page: []string{"reasons reason=policy.blocked total"},
		then: "`/rejects` has examples. Put the list before back, or observe the rule for an hour: `rtbwire ctl observe rule policy.blocked`.",
	},
	{
		title: "Rates are too old", config: withRates, prepare: writeRates,
		make: func(s *stage) {
			path := s.write("rates.next", "EUR,1.09\n")
			old := time.Now().Add(-48 * time.Hour)
			s.must(os.Chtimes(path, old, old))
			s.must(os.Rename(path, s.path("rates.csv")))
		},
		log: []string{"a file is older than it may be"}, metrics: []string{"followed_file_modified_timestamp_seconds{kind=\"rates\"}"}, page: []string{"file"},
		then: "The old rates stay in use: prices are a little wrong. Look at the job that fetches rates.",
	},
	{
		title: "Rates are missing", config: withRates, prepare: writeRates,
		make: func(s *stage) { s.must(os.Remove(s.path("rates.csv"))) },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="rates"} = 1`}, page: []string{"file"},
		then: "The rates before stay in use until the next start, which fails without the file. Put it back before you restart or change the configuration.",
	},
	{
		title: "The database of countries is missing", config: withCountries, prepare: writeCountries,
		make: func(s *stage) { s.must(os.Remove(s.path("country.mmdb"))) },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="geoip"} = 1`}, page: []string{"file"},
		then: "The database is in memory and stays in use until the next start, which fails without the file. Put it back.",
	},
	{
		title: "The database of countries is damaged", config: withCountries, prepare: writeCountries,
		make: func(s *stage) { text := country(s); s.write("country.mmdb", text[:len(text)/2]) },
		log:  []string{notLoaded}, metrics: []string{`followed_file_failed{kind="geoip"} = 1`}, page: []string{"file"},
		then: "The database before stays in use. Download it again, check its sum, and rename it into place.",
	},
	{
		title: "A certificate has expired", config: withTLS, args: listenTLS, prepare: certifyWell,
		make: func(s *stage) { certify(s, -time.Minute) },
		log:  []string{"a certificate needs attention"}, metrics: []string{`followed_file_expires_timestamp_seconds{kind="certificates"}`}, page: []string{"file"},
		then: "Exchanges can't connect: their requests are missing, and nothing else fails. Put a new certificate and its key in place of the files; they are read within seconds, no restart is needed.",
	},
	{
		title: "A certificate expires soon", config: withTLS, args: listenTLS, prepare: certifyWell,
		make: func(s *stage) { certify(s, 6*24*time.Hour) },
		log:  []string{"a certificate needs attention"}, metrics: []string{`followed_file_expires_timestamp_seconds{kind="certificates"}`}, page: []string{"file"},
		then: "The log says so 30 days and 7 days before. Whatever renews certificates does not run: start it. Files that change are read within seconds.",
	},
	{
		title: "A certificate and its key do not match", config: withTLS, args: listenTLS, prepare: certifyWell,
		make: func(s *stage) {
			key, err := os.ReadFile(s.path("rtb.key"))
			s.must(err)
			certifyWell(s)
			s.write("rtb.key", string(key))
		},
		log: []string{"the certificates were not loaded again"}, metrics: []string{`followed_file_failed{kind="certificates"} = 1`, `tls_reloads_total{result="failed"}`}, page: []string{"file"},
		then: "The pair before stays in use. Write both files again; for a moment between the two this is normal.",
	},
	{
		title: "The file of operators' tokens is empty", config: "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], operators: {token_files: [tokens]}}\n",
		prepare: writeToken,
		make:    func(s *stage) { s.write("tokens", "\n") },
		log:     []string{"the tokens for operators were not loaded again"}, metrics: []string{`followed_file_failed{kind="tokens"} = 1`}, page: []string{"file"},
		then: "The tokens before stay valid until the next start, which fails. Write the file again. To take a token out of use, leave at least one other in.",
	},
}

// writeToken makes the token of an operator.
func writeToken(s *stage) {
	s.token = strings.Repeat("s3cret-", 4)
	s.write("tokens", "on-call "+s.token+"\n")
}
