package admin

import "net/http"

// Handler returns the pages with their guard, for a server of your own: what [Server.Serve] refuses
// because of its address, such a server must refuse itself.
func (s *Server) Handler() http.Handler { return s.handler }
