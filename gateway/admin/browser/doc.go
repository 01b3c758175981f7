// Package browser tests the page for operators in a real browser, against the real program. It is
// a module of its own, so that users of the gateway do not inherit what drives the browser.
package browser
