// Package browser tests the page for operators in a real browser, against the real program. It is
// a module of its own, so that users of the gateway do not inherit what drives the browser.
//
// The tests need Chromium, and RTBWIRE_BROWSER=1: make verify STEPS=browser sets it.
package browser
