package setup

import (
	"crypto/tls"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
)

// Transport returns what a configuration says about connections before HTTP.
func Transport(c *config.Gateway) (transport.Options, error) {
	o := transport.Options{
		Proxies: c.ProxyProtocol, HandshakeTimeout: c.Timeouts.Handshake, HandshakesMax: c.Maximums.Handshakes,
		TLS: transport.TLS{ClientCAs: c.TLS.ClientCAs, ClientAuth: transport.ClientAuth(c.TLS.ClientAuth), NoHTTP2: !c.TLS.HTTP2},
	}
	for _, own := range c.TLS.Certificates {
		o.TLS.Pairs = append(o.TLS.Pairs, transport.Pair(own))
	}
	switch c.TLS.MinVersion {
	case "", "1.2":
	case "1.3":
		o.TLS.MinVersion = tls.VersionTLS13
	default:
		return o, fmt.Errorf("unknown version of TLS %q (want 1.2 or 1.3)", c.TLS.MinVersion)
	}
	return o, nil
}

// AdminTransport returns the same about the port of administration: the certificates of the
// gateway, and authorities of its own, since who sends bid requests is no operator.
func AdminTransport(c *config.Gateway) (transport.Options, error) {
	o, err := Transport(c)
	o.Proxies = nil
	o.TLS.NoHTTP2, o.TLS.ClientCAs, o.TLS.ClientAuth = true, c.Operators.ClientCAs, ""
	if len(o.TLS.ClientCAs) > 0 {
		o.TLS.ClientAuth = transport.ClientRequest // probes have none
	}
	return o, err
}

// Addresses reads the addresses of listeners.
func Addresses(c *config.Gateway) (list []transport.Address, err error) {
	for _, text := range c.Listen {
		a, err := transport.ParseAddress(text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// authoritiesMax is how long the files of upstreams' authorities may be together, in bytes.
const authoritiesMax = 4 << 20

// Authorities reads files of certificates.
func Authorities(files []string) (string, error) {
	var all strings.Builder
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(&all, io.LimitReader(file, authoritiesMax+1))
		_ = file.Close() // nothing was written
		if err != nil {
			return "", err
		}
		if all.Len() > authoritiesMax {
			return "", fmt.Errorf("%s: the authorities of upstreams have more than %d bytes", name, authoritiesMax)
		}
		all.WriteByte('\n')
	}
	return all.String(), nil
}

// UnixMode returns the mode of sockets in the file system, 0 if the configuration says nothing.
func UnixMode(c *config.Gateway) (fs.FileMode, error) {
	if c.UnixMode == "" {
		return 0, nil
	}
	mode, err := strconv.ParseUint(c.UnixMode, 8, 32)
	if err != nil || mode == 0 || fs.FileMode(mode) != fs.FileMode(mode).Perm() {
		return 0, fmt.Errorf("the mode of sockets %q (want an octal number such as 0660)", c.UnixMode)
	}
	return fs.FileMode(mode), nil
}
