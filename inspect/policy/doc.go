// Package policy compiles the conditions of policy rules. They are written in CEL, the Common
// Expression Language: cel-go parses and type-checks them when a configuration is loaded, and this
// package turns the result into Go closures over the decoded request.
//
//	site.domain in lists.blocked_domains
//	imp.exists(i, usd(i.bidfloor, i.bidfloorcur) < 0.1)
//	regs.coppa == 1 || regs.gdpr == 1 && user.consent == ""
//
// # Variables
//
// The fields of a bid request, by their names in JSON: imp, site, app, device, user, regs, id, tmax
// and so on. An absent scalar reads as the zero of its type and an absent object as an empty one,
// as for protobuf messages; has() tells, of variables too: has(site), has(imp[0].banner.w). Legacy
// fields are read at both places; package legacy says how two that disagree are read. The eids of
// both places follow each other. Where a request has different supply chains, source.schain has the
// nodes of all, and is complete if all are.
//
// The members of an ext have types that are known at evaluation only: ext.prebid.debug,
// ext["with-dash"]. A member that is absent or null reads as null, and so do the members of null;
// has() is false for them. A number without fraction and exponent is an int, if it fits, and any
// other a double. A value of a type that an operation does not take is an error.
//
// facts is what is known besides the request: partner, publisher, peer, forwarded, user_agent,
// seen, counts.ifa, counts.address, headers["name"] ("" if absent, in any case), time,
// vendor["name"].score and vendor["name"].error. Addresses are strings; an IPv4 address in IPv6
// reads as the former. Conditions have no current time: a verdict depends on its input alone.
//
// # Language
//
// Closures take literals of bool, int, double, string and lists, && || ! with CEL's rule that one
// operand can decide whatever the other fails with, == != < <= > >=, arithmetic with errors for
// overflow and division by zero, ?:, in (list literals, lists of the request and "in lists.NAME"),
// indices, + of strings and lists, the macros has, exists, all, exists_one, map and filter, and
// the functions size, contains, startsWith, endsWith, matches with a constant, lowerAscii,
// isAddress, int, double, string, dyn, timestamp of a constant, the parts of a timestamp in UTC
// (getHours and so on), and usd(amount, currency): US dollars by the configured rates. An empty
// currency is USD, one without a rate is an error. Everything else of CEL (maps, bytes, durations,
// comparing objects and so on) is an issue that says so, and runs with [Interpreted] in cel-go's
// interpreter.
//
// The interpreter has the same values of requests, the same absent members and the same functions.
// Each condition that closures take has the same result there, or none in both.
//
// # Bounds
//
// The constants [SourceMax], [NodesMax] and their siblings bound what is compiled, [StepsMax],
// [ValuesMax], [TextMax] and [CostMax] what is evaluated. An error of evaluation leaves the
// decision to the rule. Except for errors of int() and double(), and escapes in the old places of
// legacy fields, evaluation allocates nothing once warm.
//
// # Files
//
//	condition.go, frame.go, limits.go   evaluation: its memory, bounds and errors
//	env.go, issues.go                   compilation: declarations, issues with suggestions
//	advice.go, foreign.go               what issues say to write instead
//	model.go, model_gen.go              the fields of requests; generated from package spec
//	facts.go, legacy.go                 fields written by hand
//	compile.go, node.go                 closures of variables, fields, literals, indices
//	logic.go, lists.go, arith.go        closures of operators and macros
//	functions.go                        closures of functions
//	value.go, json.go                   values of an ext
//	interpret.go                        requests as cel-go sees them
package policy
