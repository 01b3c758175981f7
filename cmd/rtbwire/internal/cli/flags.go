package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Choice is a flag whose value is one of a few words. It implements pflag.Value.
type Choice struct {
	Value   string
	Choices []string
}

// NewChoice returns a flag value; the first choice is the default.
func NewChoice(choices ...string) *Choice { return &Choice{Value: choices[0], Choices: choices} }

// String returns the value.
func (c *Choice) String() string { return c.Value }

// Type returns the choices for the help text.
func (c *Choice) Type() string { return strings.Join(c.Choices, "|") }

// Set takes a value from the command line.
func (c *Choice) Set(text string) error {
	if !slices.Contains(c.Choices, text) {
		return fmt.Errorf("want one of %s", strings.Join(c.Choices, ", "))
	}
	c.Value = text
	return nil
}

// Size is a flag whose value is a number of bytes: 1000, 64KiB, 16M. It implements pflag.Value.
type Size int

// String returns the value with the largest unit that is exact.
func (s *Size) String() string { return setting.SizeText(int(*s)) }

// Type returns the word for the help text.
func (s *Size) Type() string { return "SIZE" }

// Set takes a value from the command line.
func (s *Size) Set(text string) error {
	n, ok := setting.ParseSize(text)
	if !ok || n > math.MaxInt {
		return fmt.Errorf("want %s", setting.SizeExample)
	}
	*s = Size(n)
	return nil
}
