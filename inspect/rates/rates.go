// Package rates converts prices to US dollars, with rates from a file that may change while
// requests are judged.
//
// The file has a currency a line: its code of ISO 4217, a comma, and the US dollars that one unit
// is worth. Comments and blank lines are as in the files of package lists.
//
//	# published 2026-11-20
//	EUR,1.08
//	JPY,0.0065
package rates

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/currency"
	"github.com/rtbwire/rtbwire/internal/filewatch"
)

// FileSizeMax is the largest file that is read, in bytes.
const FileSizeMax = 1 << 20

// base is the currency that others are converted to, and that an empty one means (OpenRTB 2.6,
// section 3.2.4, bidfloorcur).
const base = "USD"

// Table has the rates of a file. It is immutable, for all goroutines.
type Table struct {
	index [letters * letters * letters]uint8 // of the code -> in rates; 0 if there is none
	rates []float64
}

const letters = 'Z' - 'A' + 1

// number numbers three capital letters.
func number(code string) (n int, ok bool) {
	const codeLen = 3
	if len(code) != codeLen {
		return 0, false
	}
	for i := range codeLen {
		c := code[i] - 'A'
		if c >= letters {
			return 0, false
		}
		n = n*letters + int(c)
	}
	return n, true
}

// USD returns the price in US dollars, and whether the table has a rate for the currency. An empty
// currency is US dollars. Case and white space around a code don't matter.
func (t *Table) USD(price float64, cur string) (dollars float64, known bool) {
	var buf [currency.Len]byte
	if cur = currency.Canonical(&buf, cur); cur == "" || cur == base {
		return price, true
	}
	n, ok := number(cur)
	if !ok || t.index[n] == 0 {
		return 0, false
	}
	return price * t.rates[t.index[n]], true
}

// Len returns the number of currencies, with US dollars.
func (t *Table) Len() int { return len(t.rates) }

// All returns what one unit of each currency is worth in US dollars.
func (t *Table) All() map[string]float64 {
	all := map[string]float64{}
	for n, i := range t.index {
		if i != 0 {
			all[string([]byte{'A' + byte(n/letters/letters), 'A' + byte(n/letters%letters), 'A' + byte(n%letters)})] = t.rates[i]
		}
	}
	all[base] = 1
	return all
}

// What a line looks like.
var (
	errLine   = errors.New("expected a currency and a rate such as EUR,1.08")
	errCode   = errors.New("expected a currency code of ISO 4217 such as EUR")
	errRate   = errors.New("expected a positive decimal number: the US dollars that one unit is worth")
	errBase   = errors.New("expected a rate of 1 for USD")
	errTwice  = errors.New("the currency has a rate already")
	errNoRate = errors.New("expected at least one rate")
)

func newTable() *Table { return &Table{rates: []float64{1}} }

// Read reads a table. Errors about a line are of type [filewatch.LineError].
func Read(r io.Reader) (*Table, error) {
	t := newTable()
	lines := 0
	err := filewatch.Lines(r, 0, func(line int, text []byte) error {
		lines++
		if err := t.add(string(text)); err != nil {
			return &filewatch.LineError{Line: line, Err: err}
		}
		return nil
	})
	if err == nil && lines == 0 {
		err = errNoRate
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Table) add(line string) error {
	code, text, found := strings.Cut(line, ",")
	code, text = strings.TrimSpace(code), strings.TrimSpace(text)
	if !found {
		return errLine
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "xX_") {
		rate = 0
	}
	return t.set(code, rate)
}

// set adds a currency.
func (t *Table) set(code string, rate float64) error {
	switch {
	case !schema.IsCurrency(code):
		return errCode
	case !(rate > 0) || math.IsInf(rate, 0):
		return errRate
	case code == base && rate != 1:
		return errBase
	case code == base:
		return nil
	}
	n, _ := number(code)
	if t.index[n] != 0 {
		return errTwice
	}
	t.index[n] = uint8(len(t.rates)) //nolint:gosec // ISO 4217 has fewer than 256 codes; a test counts them
	t.rates = append(t.rates, rate)
	return nil
}

// Rates are those of a file, the newest at any time. It is a [filewatch.Source].
type Rates struct {
	file   *filewatch.File[*Table]
	report func(filewatch.Status)
	mu     sync.Mutex // one refresh at a time, so that reports come in order
}

// Open reads the file. Report is called after each later attempt to load it that has news: other
// rates, or another error. It may be nil.
func Open(path string, report func(filewatch.Status)) (*Rates, error) {
	if report == nil {
		report = func(filewatch.Status) {}
	}
	r := &Rates{report: report, file: filewatch.NewFile(path, FileSizeMax, func(text io.Reader) (*Table, filewatch.Result, error) {
		t, err := Read(text)
		if err != nil {
			return nil, filewatch.Result{}, err
		}
		return t, filewatch.Result{Entries: t.Len()}, nil
	})}
	r.file.Refresh()
	if r.file.Value() == nil {
		return nil, r.file.Status().Err
	}
	return r, nil
}

// Table returns the rates as they are now. A program that converts several prices of one request
// asks once.
func (r *Rates) Table() *Table { return *r.file.Value() }

// USD is [Table.USD] of the rates as they are now.
func (r *Rates) USD(price float64, currency string) (dollars float64, known bool) {
	return r.Table().USD(price, currency)
}

// Status returns what is known about the file.
func (r *Rates) Status() filewatch.Status { return r.file.Status() }

// Paths returns the path of the file.
func (r *Rates) Paths() []string { return []string{r.file.Path()} }

// Refresh loads the file if it has changed.
func (r *Rates) Refresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file.Refresh() {
		r.report(r.file.Status())
	}
}
