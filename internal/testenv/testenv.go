// Package testenv tells tests how they were built.
package testenv
