package rates

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/mem"
)

func TestRead(t *testing.T) {
	table, err := Read(strings.NewReader("\ufeff# rates\r\nEUR,1.08\r\n\r\n JPY , 65e-4 # yen\nUSD,1"))
	if err != nil {
		t.Fatal(err)
	}
	for currency, want := range map[string]float64{"": 2, "USD": 2, "EUR": 2.16, "eur": 2.16, " Eur\t": 2.16, "usd": 2, " ": 2, "\x00": 2, "EUR\x00": 2.16, "JPY": 0.013} {
		if got, known := table.USD(2, currency); math.Abs(got-want) > 1e-12 || !known {
			t.Errorf("USD(2, %q) = %v, %v, want %v", currency, got, known, want)
		}
	}
	for _, currency := range []string{"GBP", "EURO", "EU", "E\xffR", "E UR", "[[["} {
		if got, known := table.USD(2, currency); got != 0 || known {
			t.Errorf("USD(2, %q) = %v, %v, want none", currency, got, known)
		}
	}
	if table.Len() != 3 {
		t.Errorf("%d currencies, want 3", table.Len())
	}
	if n := testing.AllocsPerRun(10, func() { table.USD(1, "EUR"); table.USD(1, " eur") }); n != 0 && mem.ZeroCopy {
		t.Errorf("USD allocates %v times", n)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"EUR": errLine, "EUR 1.08": errLine, "eur,1": errCode, "EURO,1": errCode, "XXX,1": errCode, ",1": errCode, "ABC,1": errCode,
		"EUR,": errRate, "EUR,0": errRate, "EUR,-1": errRate, "EUR,NaN": errRate, "EUR,Inf": errRate, "EUR,1e999": errRate, "EUR,1,08": errRate,
		"EUR,0x1p3": errRate, "EUR,1_0": errRate, "USD,1.01": errBase, "EUR,1\nEUR,1": errTwice, "": errNoRate, "# none": errNoRate, "EUR,\x00": filewatch.ErrBinary,
	} {
		if _, err := Read(strings.NewReader(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	var line *filewatch.LineError
	if _, err := Read(strings.NewReader("EUR,1\n\nGBP,x")); !errors.As(err, &line) || line.Line != 3 {
		t.Errorf("%v, want an error in line 3", err)
	}
}

// TestAllCurrencies reads a rate for each code of ISO 4217: the index has room for them.
func TestAllCurrencies(t *testing.T) {
	var text strings.Builder
	codes := 0
	for n := range letters * letters * letters {
		code := string([]byte{byte('A' + n/letters/letters), byte('A' + n/letters%letters), byte('A' + n%letters)})
		if schema.IsCurrency(code) && code != base {
			codes++
			text.WriteString(code + ",2\n")
		}
	}
	table, err := Read(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != codes+1 || codes < 150 || codes > math.MaxUint8 {
		t.Errorf("%d currencies of %d", table.Len(), codes)
	}
	if got, known := table.USD(1, "ZWG"); got != 2 || !known {
		t.Errorf("USD(1, ZWG) = %v, %v", got, known)
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates.txt")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(path, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want os.ErrNotExist", err)
	}
	put("EUR,1.08")
	var reports []filewatch.Status
	r, err := Open(path, func(s filewatch.Status) { reports = append(reports, s) })
	if err != nil {
		t.Fatal(err)
	}
	put("EUR,x")
	r.Refresh()
	if got, _ := r.USD(1, "EUR"); got != 1.08 {
		t.Errorf("after a bad file a euro is %v dollars, want 1.08", got)
	}
	put("EUR,1.25\nGBP,2")
	r.Refresh()
	r.Refresh()
	if got, _ := r.USD(1, "EUR"); got != 1.25 {
		t.Errorf("a euro is %v dollars, want 1.25", got)
	}
	if len(reports) != 2 || !errors.Is(reports[0].Err, errRate) || reports[1].Entries != 3 || r.Status().Loads != 2 || r.Paths()[0] != path {
		t.Errorf("reports: %+v", reports)
	}
	if _, err := Open(filepath.Dir(path), nil); !errors.Is(err, filewatch.ErrNotRegular) {
		t.Errorf("%v, want %v", err, filewatch.ErrNotRegular)
	}
	put("EUR,1.3")
	if r, err = Open(path, nil); err != nil {
		t.Fatal(err)
	}
	put("EUR,1.4")
	r.Refresh() // without a report
	if r.Table().Len() != 2 {
		t.Errorf("%d currencies, want 2", r.Table().Len())
	}
}
