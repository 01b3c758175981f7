package admin

import (
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are what a configuration says about the admin port: who may use it.
type Settings struct {
	// Address is where it listens, "" for nowhere.
	Address string
	// ClientCAs are files with the authorities of operators' certificates.
	ClientCAs []string
	// StateFile has what operators change at run time, "" if nothing keeps it.
	StateFile string
	// Hosts and TokenFiles are as in [Options].
	Hosts, TokenFiles []string
}

// Configured is where configurations have their Settings.
var Configured setting.Slot[Settings]

// StreamAddress is where configurations have the address of the admin port of streams.
var StreamAddress setting.Slot[string]

// addressHelp is what the address of an admin port is, for the gateway and for streams.
const addressHelp = "Address of the admin port: metrics, health, profiles and a page for operators. An address other than loopback needs a token of `gateway.operators`."

var hostName = setting.Form("a name of a host such as rtbwire.example", `[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?`, nil)

// adminAddress is that of the gateway.
var adminAddress = setting.F("admin", setting.Text("an address and a port", setting.AddressMax), func(s *Settings) *string { return &s.Address },
	addressHelp).Example(`admin: "127.0.0.1:8081"`).Value("ADDRESS").Fixed()

// streamAddress is that of streams.
var streamAddress = setting.F("admin", setting.Text("an address and a port", setting.AddressMax), func(s *string) *string { return s },
	addressHelp).Example(`admin: "127.0.0.1:8082"`).Value("ADDRESS").Fixed()

// stateFile is that of the gateway.
var stateFile = setting.F("operators.state_file", setting.FileName(), func(s *Settings) *string { return &s.StateFile },
	"File for what operators change at run time: blocks, drains, observed partners and rules. Each gateway needs its own. Without it, a restart forgets them.").
	Example("state_file: /var/lib/rtbwire/operators.ndjson").FlagName("admin-state").Value("FILE").Fixed()

// operators are settings that gateways and streams share.
var operators = []setting.Field[Settings]{
	setting.F("operators.token_files", setting.ListOf(setting.FileName()), func(s *Settings) *[]string { return &s.TokenFiles },
		"Files with admin tokens, one per line, of at least 16 characters, after a name for the log or alone. Changed files are read again. The environment variable `RTBWIRE_ADMIN_TOKEN` can have tokens, too.").
		Example("token_files: [/run/secrets/rtbwire-admin]").FlagName("admin-token-file"),
	setting.F("operators.client_ca", setting.OneOrMore(setting.FileName()), func(s *Settings) *[]string { return &s.ClientCAs },
		"Authorities of operators' certificates, for an admin address with `https://`. An operator with a certificate needs no token.").
		Example("client_ca: operators.pem").FlagName("admin-client-ca"),
	setting.F("operators.hosts", setting.ListOf(hostName), func(s *Settings) *[]string { return &s.Hosts },
		"Host names of the admin port, besides `localhost` and IP addresses. Requests with any other `Host` header are refused (DNS rebinding).").
		Example("hosts: [rtbwire.internal.example]").FlagName("admin-host").Value("NAME"),
}

// Operators returns the settings that gateways and streams share, for flags.
func Operators() []setting.Field[setting.Scope] { return Configured.Fields(operators) }

func init() {
	setting.Register(setting.Module{
		Section: "gateway", Order: 6, Fields: Configured.Fields(append([]setting.Field[Settings]{adminAddress, stateFile}, operators...)),
		Groups: []setting.Group[setting.Scope]{{
			Path: "operators", Name: "operators", Help: "Who may use the admin port.", Example: "operators: {token_files: [/run/secrets/rtbwire-admin]}",
			Doc: "Who may use the admin port, and what they see there. If there are tokens, everything but `/healthz` and `/readyz` needs one.",
		}},
	})
	setting.Register(setting.Module{Section: "stream", Order: 14, Fields: StreamAddress.Fields([]setting.Field[string]{streamAddress})})
}
