// Package bidder holds the programs of docs/migration.md, before and after the change.
package bidder
