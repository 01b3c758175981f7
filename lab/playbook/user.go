package main

import (
	"encoding/json"
	"strconv"
)

// user is the struct of six fields that several sections of the playbook have as an example.
type user struct {
	ID    int      `json:"id"`
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Roles []string `json:"roles"`
	Admin bool     `json:"admin"`
	Age   int      `json:"age"`
}

var someUser = user{ID: 7, Name: "alex", Email: "a@b.com", Roles: []string{"r", "w"}, Admin: true, Age: 30}

// userText is what section 7 reads.
const userText = `{"id":1,"name":"x","email":"a@b.com","roles":["a"],"admin":true,"age":30}`

// byHand is section 18's function: one slice of 128 bytes, strings quoted by strconv.
func (u user) byHand() ([]byte, error) {
	b := append(make([]byte, 0, 128), `{"id":`...)
	b = strconv.AppendInt(b, int64(u.ID), 10)
	b = append(b, `,"name":`...)
	b = strconv.AppendQuote(b, u.Name)
	b = append(b, `,"email":`...)
	b = strconv.AppendQuote(b, u.Email)
	b = append(b, `,"roles":[`...)
	for i, role := range u.Roles {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, role)
	}
	b = append(b, `],"admin":`...)
	b = strconv.AppendBool(b, u.Admin)
	b = append(b, `,"age":`...)
	b = strconv.AppendInt(b, int64(u.Age), 10)
	return append(b, '}'), nil
}

// appendWith does the same with any function for strings, and to any slice.
func (u *user) appendWith(b []byte, quote func([]byte, string) []byte) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), int64(u.ID), 10)
	b = quote(append(b, `,"name":`...), u.Name)
	b = quote(append(b, `,"email":`...), u.Email)
	b = append(b, `,"roles":[`...)
	for i, role := range u.Roles {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, role)
	}
	b = strconv.AppendBool(append(b, `],"admin":`...), u.Admin)
	b = strconv.AppendInt(append(b, `,"age":`...), int64(u.Age), 10)
	return append(b, '}')
}

// byHandJSON is the same with strings as JSON has them.
func (u user) byHandJSON() ([]byte, error) {
	return u.appendWith(make([]byte, 0, 128), appendString), nil
}

// methodUser is a user whose method json.Marshal calls.
type methodUser user

func (u methodUser) MarshalJSON() ([]byte, error) { return user(u).byHand() }

// mapUser is a user whose method builds a map first.
type mapUser user

func (u mapUser) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"id": u.ID, "name": u.Name, "email": u.Email, "roles": u.Roles, "admin": u.Admin, "age": u.Age,
	})
}

// handWays are the ways to write a user that sections 2 and 18 compare.
func handWays() []way {
	u := someUser
	keep := func(f func() ([]byte, error)) func() error {
		return func() (err error) {
			keepText, err = f()
			return err
		}
	}
	return []way{
		{name: "marshal", do: keep(func() ([]byte, error) { return json.Marshal(u) })},
		{name: "hand-written", do: keep(u.byHand)},
		{name: "hand-written-json", do: keep(u.byHandJSON)},
		{name: "hand-written-method", do: keep(func() ([]byte, error) { return json.Marshal(methodUser(u)) })},
	}
}
