module github.com/rtbwire/rtbwire/lab/published

go 1.26.0

require (
	github.com/goccy/go-json v0.10.6
	github.com/json-iterator/go v1.1.12
	github.com/rtbwire/rtbwire v0.0.0
	github.com/segmentio/encoding v0.5.4
	golang.org/x/sys v0.49.0
)

require (
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
)

replace github.com/rtbwire/rtbwire => ../..
