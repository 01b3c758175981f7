// Package bidder holds the programs of lab/docs/migration.md, before and after the change.
package bidder
