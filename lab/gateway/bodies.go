package gateway

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// The bodies that are sent.
const (
	bannerBody = "banner"
	appBody    = "app"
	mixBody    = "mix"
	fullBody   = "full"
)

// fullRequests is how many different requests the body full is made of.
const fullRequests = 5000

// body is what one load consists of.
type body struct {
	name, about string
	docs        [][]byte // before they are made different from each other
	bytes       float64  // mean length
	file        string
	copies      int

	// What calibrate has found, in requests a second.
	most map[string]float64 // with all connections busy, by contestant
}

// makeBodies writes the files that the generator sends. Ids, advertising identifiers and addresses
// differ from request to request, as they do in traffic: the windows of the fraud score would see
// one device otherwise, and nothing but repeated requests.
func (l *lab) makeBodies() (list []*body, err error) {
	sets, err := data.Load("", bannerBody, appBody, "mixed")
	if err != nil {
		return nil, err
	}
	full, err := data.Simulated(fullRequests)
	if err != nil {
		return nil, err
	}
	sets = append(sets, full)
	wanted := l.bodies
	if wanted == "" {
		if wanted = strings.Join([]string{bannerBody, appBody, mixBody, fullBody}, ","); l.quick {
			wanted = fullBody
		}
	}
	for _, b := range []*body{
		{name: bannerBody, about: "a banner request from a website", copies: 40_000},
		{name: appBody, about: "an app request with three impressions, deals, eids and schain", copies: 15_000},
		{name: mixBody, about: "the requests of the corpus that all contestants forward", copies: 40_000},
		{name: fullBody, about: "requests of simulated exchanges, rtbwire simulate --shape full, that all contestants forward", copies: 4 * fullRequests},
	} {
		if !strings.Contains(","+strings.ReplaceAll(wanted, " ", "")+",", ","+b.name+",") {
			continue
		}
		from := map[string]string{mixBody: "mixed", fullBody: full.Name}[b.name]
		set, ok := data.Find(sets, cmp.Or(from, b.name))
		if !ok {
			return nil, fmt.Errorf("no data set of %s", b.name)
		}
		b.docs = forwarded(set.Docs)
		if len(b.docs) == 0 {
			return nil, fmt.Errorf("no request of %s is forwarded", b.name)
		}
		list = append(list, b)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--bodies %s: want banner, app, mix, full: %w", l.bodies, ErrUsage)
	}
	return list, nil
}

// forwarded are the documents that the preset forwards. Others would be cheaper for those who look,
// and are no comparison.
func forwarded(docs [][]byte) (list [][]byte) {
	w := new(inspect.Engine).NewWorker()
	for _, doc := range docs {
		if w.Inspect(doc, inspect.Facts{}).Action == inspect.ActionForward {
			list = append(list, doc)
		}
	}
	return list
}

// write writes the file, one request a line.
func (b *body) write(dir string) error {
	b.file = filepath.Join(dir, b.name+".ndjson")
	f, err := os.Create(b.file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	random := rand.New(rand.NewPCG(1, 1))
	total := 0
	for i := range b.copies {
		doc, err := different(b.docs[i%len(b.docs)], random)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		doc = bytes.ReplaceAll(doc, []byte("\n"), nil) // between tokens: no string has one
		total += len(doc)
		_, _ = w.Write(append(doc, '\n')) // Flush has the error
	}
	b.bytes = float64(total) / float64(b.copies)
	return errors.Join(w.Flush(), f.Close())
}

// different returns a copy of a request with another id, another device and another address, as
// long as the old ones where that is possible.
func different(doc []byte, random *rand.Rand) ([]byte, error) {
	r, err := openrtb.Parse(doc)
	if err != nil {
		return nil, err
	}
	edits := []wire.Edit{wire.Set("/id", quoted(scrambled(r.ID, random)))}
	if d := r.Device; d != nil {
		if d.IFA != "" {
			edits = append(edits, wire.Set("/device/ifa", quoted(scrambled(d.IFA, random))))
		}
		if d.IP != "" {
			edits = append(edits, wire.Set("/device/ip", quoted(fmt.Sprintf("%d.%d.%d.%d", 78+random.IntN(20), random.IntN(256), random.IntN(256), 1+random.IntN(250)))))
		}
	}
	return splice.Apply(nil, doc, edits...)
}

func quoted(s string) []byte {
	text, _ := json.Marshal(s) // a string has a JSON text
	return text
}

// scrambled replaces digits, and hexadecimal letters of names that have nothing else, so that the
// form stays.
func scrambled(s string, random *rand.Rand) string {
	const digits = "0123456789abcdef"
	hex := strings.Trim(strings.ToLower(s), digits+"-") == ""
	out := []byte(s)
	changed := 0
	for i, c := range out {
		switch {
		case c >= '0' && c <= '9':
			out[i] = digits[random.IntN(10)]
			changed++
		case hex && c >= 'a' && c <= 'f':
			out[i] = digits[10+random.IntN(6)]
			changed++
		}
	}
	if changed < 6 {
		out = append(out, '-', digits[random.IntN(10)], digits[random.IntN(10)], digits[random.IntN(10)], digits[random.IntN(10)], digits[random.IntN(10)])
	}
	return string(out)
}

// keepForwarded drops the documents that a contestant refuses, and writes the files. Everybody gets
// the same documents, and sends each of them on.
func (l *lab) keepForwarded() error {
	for _, b := range l.sets {
		for _, c := range contestants {
			if !c.refuses || c.extra || len(b.docs) < 2 {
				continue
			}
			l.say("what %s forwards of %s", c.name, b.name)
			p, at, err := l.begin(c)
			if err != nil {
				return err
			}
			b.docs, err = keepers("http://"+at.listen+path, b.docs)
			if p.stop(); err != nil {
				return err
			}
			if len(b.docs) == 0 {
				return fmt.Errorf("%s forwards nothing of %s", c.name, b.name)
			}
		}
		if err := b.write(l.dir); err != nil {
			return err
		}
		at := slices.IndexFunc(l.results.Bodies, func(i BodyInfo) bool { return i.Name == b.name })
		l.results.Bodies[at].Bytes = math.Round(b.bytes)
	}
	return nil
}

// keepers returns the documents that are answered with 200 at a URL.
func keepers(url string, docs [][]byte) (kept [][]byte, err error) {
	for _, doc := range docs {
		answer, err := http.Post(url, "application/json", bytes.NewReader(doc)) //nolint:noctx // loopback
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return nil, err
		}
		if answer.StatusCode == http.StatusOK {
			kept = append(kept, doc)
		}
	}
	return kept, nil
}

// checkedDocs is how many documents of each body a contestant has to pass unchanged.
const checkedDocs = 20

// check makes sure that a contestant passes bodies unchanged: right before fast.
func (l *lab) check(ctx context.Context, c *contestant, b *body, listen string) error {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i, doc := range b.docs[:min(len(b.docs), checkedDocs)] {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+listen+path, bytes.NewReader(doc))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Lab-Check", "1")
		answer, err := client.Do(r)
		if err != nil {
			return fmt.Errorf("%s: %s %d: %w", c.name, b.name, i, err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		h := fnv.New64a()
		_, _ = h.Write(doc) // never fails
		if err != nil || answer.StatusCode != http.StatusOK || string(text) != strconv.FormatUint(h.Sum64(), 16) {
			return fmt.Errorf("%s: %s %d: status %d, %q: what was sent did not arrive unchanged (%w)", c.name, b.name, i, answer.StatusCode, text, err)
		}
	}
	return nil
}
