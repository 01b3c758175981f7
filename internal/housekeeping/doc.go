// Package housekeeping holds the rules of the house that a program can check, as tests. It
// has no code of its own. The message of each failure names the way out; a rule that stands
// in the way for a good reason is changed here, with the reason, not worked around.
package housekeeping
