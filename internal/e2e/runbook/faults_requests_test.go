package runbook

import (
	"fmt"
	"net"
	"strings"
)

// flood sends many requests of a partner.
func flood(s *stage) { s.send("/exchange-a", good, 1500) }

var requestFaults = []fault{
	{
		title: "A rule can't decide", config: "rules: [{name: short, when: \"1000 / tmax > 10\", severity: refuse}]\n",
		// The usual requests have tmax. Those of the fault have none, as those of a partner that
		// has changed what it sends.
		start: func(s *stage, f *fault) { s.good = strings.Replace(good, "{", `{"tmax":500,`, 1); startGateway(s, f) },
		make:  func(s *stage) { s.good = good; s.healthy() },
		log:   []string{"needs attention"}, metrics: []string{`rule_errors_total{rule="policy.short"}`}, page: []string{"rule", "rule_errors rule=policy.short broken"},
		then: "The condition has no value: a field that requests lack (here `tmax`, and a division by zero). Until then `on_error` decides, by default as if the rule did not object. `rtbwire policy explain FILE < request.json` shows the place; write the condition so that it holds for requests without the field.",
	},
	{
		title: "A partner is over its limit", config: "partners:\n  exchange-a: {match: {path: /exchange-a}, limits: {rate: 200, burst: 200}}\n  exchange-b: {match: {path: /exchange-b}}\n",
		make: flood,
		log:  []string{"needs attention"}, metrics: []string{`rejected_total{reason="gateway.rate"}`, `partner_requests_total{partner="exchange-a",request_status="shed"}`}, page: []string{"shed", "partners name=exchange-a totals.shed"},
		then: "The partner sends more than was agreed: other partners are not affected. Call it, or raise `limits.rate` if there is capacity.",
	},
	{
		title: "A publisher is over its limit", config: "partners:\n  exchange-a: {match: {path: /exchange-a}, publishers: {pub-1: {limits: {rate: 200, burst: 200}}}}\n  exchange-b: {match: {path: /exchange-b}}\n",
		make: flood,
		log:  []string{"needs attention"}, metrics: []string{`rejected_total{partner="exchange-a",reason="gateway.rate"}`, `partner_requests_total{partner="exchange-a",request_status="shed"}`}, page: []string{"shed", "partners name=exchange-a totals.shed"},
		then: "One publisher sends more than its share; others of the partner are not affected. With `metrics: {publishers: N}` the metrics name publishers. Is its traffic real? Look at its fraud scores, and block it for an hour if it is not: `rtbwire ctl block`.",
	},
	{
		title: "More requests at once than the gateway takes", args: []string{"--max-in-flight", "8"},
		make: func(s *stage) { s.replaceCore("--latency", "200ms") },
		more: func(s *stage) { s.sendBy(48, "/exchange-a", good, 192); s.sendBy(48, "/exchange-b", good, 192) },
		log:  []string{"needs attention"}, metrics: []string{`rejected_total{reason="gateway.capacity"}`, `requests_total{request_status="shed"}`}, page: []string{"shed"},
		then: "Requests wait for the core, or there are more than the machine carries. If latency of the upstream has grown, it is the core; otherwise add gateways ([capacity.md](capacity.md)), or raise `max.in_flight` if processors are idle.",
	},
	{
		title: "Nearly as many connections as the gateway takes", args: []string{"--max-connections", "40"},
		make: func(s *stage) {
			for range 37 - len(s.connections()) {
				c, err := net.Dial("tcp", s.address)
				s.must(err)
				s.Cleanup(func() { c.Close() })
			}
		},
		log: []string{"needs attention"}, metrics: []string{"connections_open"}, page: []string{"connections"},
		then: "One more than `max.connections` gets 503 and is closed. Some sender opens connections and does not use them (`ss -tn` says which), or there are more senders: add gateways, or raise the limit with `LimitNOFILE`.",
	},
	{
		title: "A sender that is no partner", make: func(s *stage) {},
		more: func(s *stage) { s.healthy(); s.send("/exchange-c", good, 2*usual) },
		log:  []string{"needs attention"}, metrics: []string{`rejected_total{partner="",reason="gateway.path"}`, `requests_total{request_status="rejected"}`}, page: []string{"rejected", "reasons reason=gateway.path total"},
		then: "Requests come to a path that nobody has, or from somebody who does not prove to be a partner; they get 404. A new exchange whose `match` is missing or wrong, a partner whose token or certificate has changed, or a stranger.",
	},
	{
		title: "A partner's requests are all malformed", make: func(s *stage) {},
		more: func(s *stage) {
			s.send("/exchange-a", good, usual)
			s.send("/exchange-b", `{"id":"1","imp":[{]}`, 4*usual)
		},
		log: []string{"needs attention"}, metrics: []string{`partner_requests_total{partner="exchange-b",request_status="malformed"}`, `rejected_total{partner="exchange-b"}`}, page: []string{"malformed", "partners name=exchange-b totals.malformed"},
		then: "The partner has deployed something broken; others are not affected. The reason says what is wrong, a capture or `/rejects` has an example to send to the partner.",
	},
	{
		title:  "A service that is asked about requests is down",
		config: "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], vendors: {ivt: {url: \"http://127.0.0.1:1/score\", fields: [ip, ua]}}}\n",
		log:    []string{"needs attention"}, metrics: []string{`vendor_open{vendor="ivt"} = 1`, "vendor_questions_total"}, page: []string{"vendor"},
		then: "Requests are judged without its answers. Call whoever runs the service; the breaker tries it again by itself.",
	},
}

// connections are those that the gateway has, by its own count.
func (s *stage) connections() []struct{} {
	return make([]struct{}, int(s.scrape()[series(fmt.Sprint(namespaces[gateways], "connections_open"))].v))
}
