package setting

// Places and Length are for tests, which read nodes with package strictyaml.
var (
	Places = (*Node).places
	Length = (*Node).length
)
