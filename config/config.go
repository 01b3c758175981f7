// Package config reads the configuration file of rtbwire: one YAML or JSON file, and the files that
// it includes, for all that the tools decide about requests. docs/reference/configuration.md
// describes the format. That page, the JSON Schema for editors ([JSONSchema]) and the reader itself
// are made from one table.
//
// [Load] returns all mistakes at once, each with its place and an excerpt:
//
//	rtbwire.yaml:14:7: unknown key "wen" (did you mean "when"?)
//	  14 |       wen: site.domain == "x"
//	     |       ^^^
//
// Packages of the program declare what a file may say, each setting once, in the package that uses
// it. Functions such as inspect.Configured return what a file says to a package. [Open] also opens
// what a file names: lists, rates, keys.
package config

import "github.com/rtbwire/rtbwire/internal/setting"

//go:generate go run ./internal/document -out ../docs/reference

// Version is the version of the format.
const Version = 1

// Problem is a mistake in a configuration: place, message, suggestion and excerpt.
type Problem = setting.Problem

// Problems are all mistakes of a configuration.
type Problems = setting.Problems

// Config is a configuration file with what it includes and what the environment overrides.
type Config struct {
	// Files are all files that were read, the main one first.
	Files []string
	// Version is [Version].
	Version int
	// Scope has the settings of the packages of the program. The scopes inside it are the partners,
	// in the order of the file, with their publishers.
	Scope Scope

	variables, followed []string // as in setting.Reader
}

// Place is where something is in a configuration.
type Place = setting.Place

// Scope has what a configuration says to the packages of the program, for all requests, for a
// partner or for a publisher. They have functions, such as gateway.Configured, that read it.
type Scope = setting.Scope
