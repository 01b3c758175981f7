package browser

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of a browser, with what happens in it.
type tab struct {
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string // errors on the console, exceptions, dialogs
}

// open starts a browser and opens a page in it, at a width and with a colour scheme.
func open(t *testing.T, address string, width int64, scheme string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox) // tests run as root in containers
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	b := &tab{ctx: ctx}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	call(t, b, network.Enable, network.EnableParams{})
	b.look(t, width, scheme)
	b.visit(t, address)
	return b
}

func call[P, R any](t *testing.T, b *tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	r, err := chromedp.Call(b.ctx, command, params)
	if err != nil {
		t.Fatalf("%v: %v", command.Method, err)
	}
	return r
}

// look changes the width and the colour scheme.
func (b *tab) look(t *testing.T, width int64, scheme string) {
	t.Helper()
	call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

func (b *tab) visit(t *testing.T, address string) {
	t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}

// note is told what happens.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("exception: %s", e.ExceptionDetails.Text))
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type)) // the page itself writes nothing
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("log, %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *page.EventJavascriptDialogOpening:
		b.problems = append(b.problems, "a dialog: "+e.Message)
	}
}

// check wants no problem but those that have a text, and no request to another address.
func (b *tab) check(t *testing.T, host string, expected ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
problems:
	for _, p := range b.problems {
		for _, e := range expected {
			if strings.Contains(p, e) {
				continue problems
			}
		}
		t.Errorf("in the browser: %s", p)
	}
	if len(b.requests) < 5 {
		t.Errorf("only %d requests were seen: %v", len(b.requests), b.requests)
	}
	for _, r := range b.requests {
		if u, err := url.Parse(r); err != nil || u.Scheme != "http" || u.Host != host {
			t.Errorf("a request to %.200s", r)
		}
	}
}

// ask evaluates an expression.
func ask[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until an expression is true. It is evaluated from outside: the page's policy forbids
// what the browser's own ways to wait are made of.
func (b *tab) await(t *testing.T, expression string) {
	t.Helper()
	waitFor(t, expression, func() bool { return ask[bool](t, b, expression) })
}

// press sends a key.
func (b *tab) press(t *testing.T, key string) {
	t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key)); err != nil {
		t.Fatal(err)
	}
}
