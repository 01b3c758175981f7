package cli

import (
	"time"

	"github.com/spf13/pflag"
)

// Options are flags that stand for one field of a T each. Those that are given replace the fields.
type Options[T any] struct {
	set    *pflag.FlagSet
	fields []func(*T)
}

// NewOptions returns an empty list; its methods add flags to set.
func NewOptions[T any](set *pflag.FlagSet) *Options[T] { return &Options[T]{set: set} }

// Text adds a flag for a text. Without the flag the field stays as it is.
func (o *Options[T]) Text(name, usage string, at func(*T) *string) {
	v := o.set.String(name, "", usage)
	o.add(name, func(to *T) { *at(to) = *v })
}

// Duration adds a flag for a time; otherwise is the default that the help shows.
func (o *Options[T]) Duration(name, usage string, otherwise time.Duration, at func(*T) *time.Duration) {
	v := o.set.Duration(name, otherwise, usage)
	o.add(name, func(to *T) { *at(to) = *v })
}

// Size adds a flag for a number of bytes.
func (o *Options[T]) Size(name, usage string, otherwise int, at func(*T) *int) {
	v := Size(otherwise)
	o.set.Var(&v, name, usage)
	o.add(name, func(to *T) { *at(to) = int(v) })
}

// Number adds a flag for a number.
func (o *Options[T]) Number(name, usage string, otherwise int, at func(*T) *int) {
	v := o.set.Int(name, otherwise, usage)
	o.add(name, func(to *T) { *at(to) = *v })
}

func (o *Options[T]) add(name string, apply func(*T)) {
	o.fields = append(o.fields, func(to *T) {
		if o.set.Changed(name) {
			apply(to)
		}
	})
}

// Apply replaces the fields whose flags were given.
func (o *Options[T]) Apply(to *T) {
	for _, apply := range o.fields {
		apply(to)
	}
}
