package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// fileMax is how large a file of certificates may be, in bytes.
const fileMax = 4 << 20

// Certificates are read from files, again when the files change. After an error the last good ones
// stay in use, all of them: a certificate is never used with another one's key, and the authorities
// change together with it. They are a [filewatch.Source].
type Certificates struct {
	news    func(error)
	log     *slog.Logger
	silent  bool // about what is wrong with the certificates in use
	current atomic.Pointer[configs]
	status  atomic.Pointer[filewatch.Status]

	mu      sync.Mutex // one refresh at a time
	options TLS
	files   files
	told    map[string]bool // what the log has of what is wrong with the certificates in use
}

// configs are made of one state of the files.
type configs struct {
	http1, http2 *tls.Config
	leaves       []*x509.Certificate
}

// files are the files of a TLS, by path.
type files map[string]*filewatch.File[[]byte]

// loadCertificates reads the files of valid options. news is told about each later attempt that
// changed something or failed.
func loadCertificates(o *Options, news func(error)) (*Certificates, error) {
	c := &Certificates{news: news, log: o.Logger, silent: o.Told, options: o.TLS, files: newFiles(&o.TLS)}
	c.files.refresh()
	next, err := c.files.configs(&c.options)
	if err != nil {
		return nil, err
	}
	c.use(next)
	c.remind(time.Now())
	return c, nil
}

// use puts certificates in use.
func (c *Certificates) use(next *configs) {
	c.current.Store(next)
	c.note(nil)
}

// note notes what became of an attempt to load the files.
func (c *Certificates) note(err error) {
	var next filewatch.Status
	if was := c.status.Load(); was != nil {
		next = *was
	}
	next.Path, next.Err = c.options.Pairs[0].Certificate, err
	if err != nil {
		next.Failures++
	} else {
		next.Loads++
		next.Entries, next.LoadedAt, next.Modified = len(c.current.Load().leaves), time.Now(), c.files.modified()
		next.Expires = c.NotAfter()
	}
	c.status.Store(&next)
}

// Status returns what is known about all files together: its entries are certificates, its path is
// that of the first one, and Modified the time of the file that was changed last.
func (c *Certificates) Status() filewatch.Status { return *c.status.Load() }

// config returns the configuration in use.
func (c *Certificates) config(http2 bool) *tls.Config {
	if http2 {
		return c.current.Load().http2
	}
	return c.current.Load().http1
}

// Config returns the configuration in use for a server of its own, one of administration for
// example. It follows the files.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			own := c.config(false).Clone()
			own.SessionTicketsDisabled = true // their keys would outlive a change of the authorities
			return own, nil
		},
	}
}

// Paths returns the files.
func (c *Certificates) Paths() (paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// Refresh reads the files that have changed, and puts their certificates in use. It writes to the
// log what has become wrong with those in use, which time alone does.
func (c *Certificates) Refresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.remind(time.Now())
	if !c.files.refresh() {
		return
	}
	next, err := c.files.configs(&c.options)
	if err == nil {
		c.use(next)
	} else {
		c.note(err)
	}
	c.news(err)
}

// Prepare reads the files of other options. The function that it returns puts them in use.
func (c *Certificates) Prepare(o TLS) (use func(), err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if !o.given() {
		return nil, errors.New("certificates can't be removed before a restart: want at least one, found none")
	}
	own := newFiles(&o)
	own.refresh()
	next, err := own.configs(&o)
	if err != nil {
		return nil, err
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.options, c.files = o, own
		c.use(next)
	}, nil
}

// NotAfter returns when the first of the certificates expires.
func (c *Certificates) NotAfter() (first time.Time) {
	for _, leaf := range c.current.Load().leaves {
		if first.IsZero() || leaf.NotAfter.Before(first) {
			first = leaf.NotAfter
		}
	}
	return first
}

// remindAt is how long before its end a certificate deserves a warning: once for each time.
var remindAt = []time.Duration{7 * 24 * time.Hour, 30 * 24 * time.Hour}

// remind writes the warnings that the log does not have yet.
func (c *Certificates) remind(now time.Time) {
	told := map[string]bool{}
	for _, warning := range c.Warnings(now) {
		if told[warning] = true; !c.told[warning] && !c.silent {
			c.log.Warn("a certificate needs attention", "problem", warning)
		}
	}
	c.told = told
}

// Warnings say what is wrong with the certificates although they can be used.
func (c *Certificates) Warnings(now time.Time) (list []string) {
	for i, leaf := range c.current.Load().leaves {
		file := c.options.Pairs[i].Certificate
		switch {
		case now.Before(leaf.NotBefore):
			list = append(list, fmt.Sprintf("%s: the certificate is not valid before %s", file, leaf.NotBefore.UTC().Format(time.RFC3339)))
		case now.After(leaf.NotAfter):
			list = append(list, fmt.Sprintf("%s: the certificate has expired at %s", file, leaf.NotAfter.UTC().Format(time.RFC3339)))
		default:
			for _, before := range remindAt {
				if now.Add(before).After(leaf.NotAfter) {
					list = append(list, fmt.Sprintf("%s: the certificate expires at %s, in less than %d days", file, leaf.NotAfter.UTC().Format(time.RFC3339), before/(24*time.Hour)))
					break
				}
			}
		}
		if len(leaf.DNSNames) == 0 && len(leaf.IPAddresses) == 0 {
			list = append(list, file+": the certificate has no name that clients look at (subjectAltName)")
		}
	}
	return list
}

// newFiles returns the files of options. Nothing was read.
func newFiles(o *TLS) files {
	all := files{}
	add := func(path string) {
		all[path] = filewatch.NewFile(path, fileMax, func(r io.Reader) ([]byte, filewatch.Result, error) {
			text, err := io.ReadAll(r)
			return text, filewatch.Result{Entries: len(text)}, err
		})
	}
	for _, p := range o.Pairs {
		add(p.Certificate)
		add(p.Key)
	}
	for _, path := range o.ClientCAs {
		add(path)
	}
	return all
}

// refresh reads the files that have changed. It reports whether there is news.
func (f files) refresh() (news bool) {
	for _, file := range f {
		news = file.Refresh() || news
	}
	return news
}

// modified returns when a file was changed last.
func (f files) modified() (last time.Time) {
	for _, file := range f {
		if at := file.Status().Modified; at.After(last) {
			last = at
		}
	}
	return last
}

// text returns the content of a file.
func (f files) text(path string) ([]byte, error) {
	file := f[path]
	if err := file.Status().Err; err != nil {
		return nil, err
	}
	return *file.Value(), nil
}

// configs makes the configurations of the files.
func (f files) configs(o *TLS) (*configs, error) {
	next := &configs{}
	var pairs []tls.Certificate
	for _, p := range o.Pairs {
		certificate, err := f.text(p.Certificate)
		if err != nil {
			return nil, err
		}
		key, err := f.text(p.Key)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(certificate, key)
		if err != nil {
			return nil, fmt.Errorf("%s with the key %s: %w", p.Certificate, p.Key, err)
		}
		pairs, next.leaves = append(pairs, pair), append(next.leaves, pair.Leaf)
	}
	var authorities *x509.CertPool
	for _, path := range o.ClientCAs {
		text, err := f.text(path)
		if err != nil {
			return nil, err
		}
		if authorities == nil {
			authorities = x509.NewCertPool()
		}
		if !authorities.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate as PEM", path)
		}
	}
	next.http1 = o.config(pairs, authorities, protocolHTTP1)
	next.http2 = next.http1
	if !o.NoHTTP2 {
		next.http2 = o.config(pairs, authorities, protocolHTTP2, protocolHTTP1)
	}
	return next, nil
}
