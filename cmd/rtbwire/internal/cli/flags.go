package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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
	digits := strings.TrimRight(text, "KMGiBkb")
	shift, known := map[string]uint{"": 0, "B": 0, "K": 10, "KIB": 10, "M": 20, "MIB": 20, "G": 30, "GIB": 30}[strings.ToUpper(text[len(digits):])]
	n, err := strconv.Atoi(digits)
	if err != nil || !known || n < 0 || n > math.MaxInt>>shift {
		return fmt.Errorf("want a number of bytes such as 65536, 64KiB or 16MiB")
	}
	*s = Size(n << shift)
	return nil
}
