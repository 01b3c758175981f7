// Package migrate holds lab/docs/migration.md to what the libraries do: its tables are written by
// the test, and its programs are the files in bidder.
package migrate
