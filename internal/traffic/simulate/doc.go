// Package simulate makes OpenRTB 2.6 bid requests that look like those of real exchanges, with
// planted faults whose truth is known.
//
//	g, err := simulate.New(simulate.Config{Seed: 26, Defects: simulate.Percent(3)})
//	text, label := g.AppendRequest(text[:0], n)
//
// A request depends on the configuration and its number alone: all choices follow from them by
// integer arithmetic, so the bytes are the same on every platform, in any order and on any number
// of goroutines. Requests without a fault, and those with fraud, are accepted by the preset
// "admission". docs/traffic.md describes the traffic and lists the faults.
//
// The files, in the order of reading:
//
//	simulate.go       what users name: configuration, generator, labels
//	write.go          many requests to files, in order, on all cores
//	send.go           many requests to a server
//	random.go         choices
//	shape.go          which formats, how large
//	producer.go       the exchanges and how they write
//	member.go         all members, and when they are written
//	request.go        what one request says
//	user.go           users, their devices and addresses
//	country.go, device.go, inventory.go, words.go    tables that these choose from
//	useragent.go, consent.go                         strings that follow from them
//	writer.go, write_*.go                            the text
//	kind.go           faults and how they are planted
//	defect.go, payload.go, fraud.go                  the faults
package simulate
