package stream

import "github.com/rtbwire/rtbwire/config"

// shown is what /config shows: the options in use by the names of their keys. There are no secrets
// among them, only names of files that have some.
func shown(s *config.Stream) map[string]any {
	list := func(names []string) []string { return append([]string{}, names...) }
	m := map[string]any{
		"brokers": list(s.Brokers), "client_id": s.ClientID, "topics": list(s.Topics), "group": s.Group, "accepted": s.Accepted, "upstream": s.Upstream,
		"upstream_ca": list(s.UpstreamCAs), "dlq": s.DLQ, "responses": s.Responses, "from": s.From, "exactly_once": s.ExactlyOnce,
		"attempts": s.Attempts, "concurrency": s.Concurrency, "partner": s.Partner, "windows": s.Windows, "admin": s.Admin,
		"timeouts": map[string]string{
			"commit": s.Timeouts.Commit.String(), "session": s.Timeouts.Session.String(), "upstream": s.Timeouts.Upstream.String(), "drain": s.Timeouts.Drain.String(),
		},
		"max": map[string]int{"record": s.Maximums.Record, "in_flight": s.Maximums.InFlight},
	}
	if s.TLS != nil {
		m["tls"] = map[string]string{"ca": s.TLS.CA, "cert": s.TLS.Certificate, "key": s.TLS.Key}
	}
	if s.SASL != nil {
		m["sasl"] = map[string]string{"mechanism": s.SASL.Mechanism, "user": s.SASL.User, "password_file": s.SASL.PasswordFile}
	}
	return m
}
