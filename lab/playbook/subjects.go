package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// subject is a value of a new type, and text to read into it.
type subject struct {
	value any
	text  []byte
}

func writeSubject(s *subject) error {
	_, err := json.Marshal(s.value)
	return err
}

func readSubject(s *subject) error { return json.Unmarshal(s.text, s.value) }

var fieldTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[int64](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
}

// subjectsMade makes the names of all types different: a type that was used before is not new to
// encoding/json.
var subjectsMade int

// makeSubjects returns values of n new types.
func makeSubjects(n, fields int) []*subject {
	values := []string{`"x"`, `1`, `2.5`, `true`}
	out := make([]*subject, n)
	for i := range out {
		subjectsMade++
		var list []reflect.StructField
		var members []string
		for f := range fields {
			key := fmt.Sprintf("f%d_%d", f, subjectsMade)
			list = append(list, reflect.StructField{
				Name: fmt.Sprintf("F%d", f), Type: fieldTypes[f%4], Tag: reflect.StructTag(`json:"` + key + `"`),
			})
			members = append(members, `"`+key+`":`+values[f%4])
		}
		text := []byte("{" + strings.Join(members, ",") + "}")
		out[i] = &subject{reflect.New(reflect.StructOf(list)).Interface(), text}
	}
	return out
}

// firstCalls times the first calls for new types, and later calls for the same ones.
func (t *trial) firstCalls(fields int, do func(s *subject) error) (first, later timing, err error) {
	t.say(fmt.Sprintf("first calls, %d fields", fields))
	perRound := t.pick(600, 400, 20) / t.rounds
	for range t.rounds {
		subjects := makeSubjects(perRound+1, fields)
		turn := 0
		next := func() error {
			turn++
			return do(subjects[(turn-1)%len(subjects)])
		}
		a, err := once(next, perRound)
		if err != nil {
			return first, later, err
		}
		b, err := once(next, 20*perRound)
		if err != nil {
			return first, later, err
		}
		first.rounds, later.rounds = append(first.rounds, a.NS), append(later.rounds, b.NS)
		first.bytes, first.allocs, later.bytes, later.allocs = a.Bytes, a.Allocs, b.Bytes, b.Allocs
	}
	return first, later, nil
}

// makeStruct returns a new struct of int fields with those names in JSON.
func makeStruct(fields int, name func(i int) string) any {
	var list []reflect.StructField
	for i := range fields {
		list = append(list, reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + name(i) + `"`),
		})
	}
	return reflect.New(reflect.StructOf(list)).Interface()
}
