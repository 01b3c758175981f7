package admin

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/rtbwire/rtbwire/internal/explanation"
)

// The limits of judging what operators paste.
const (
	// JudgeMax is how long a request may be, in bytes.
	JudgeMax = 256 << 10
	// JudgesPerSecond is how many requests are judged, and judgesMax how many at once.
	JudgesPerSecond = 10
	judgesMax       = 2
)

const judgePath = "/judge"

// Judge explains the verdict on a request. It keeps nothing of it, and counts nothing.
type Judge struct {
	// Config is the file of the configuration, "" without one.
	Config string
	// Partners returns the partners that a request can be judged for.
	Partners func() []string
	// Explain judges. The error is for whoever asks: a partner that there is not, for example.
	Explain func(text []byte, sender Sender) (*Judged, error)
}

// Sender is who would have sent a request.
type Sender struct{ Partner, Publisher, Peer string }

// Judged is the answer of POST /judge: the document of "rtbwire explain --format json", and what
// would go on.
type Judged struct {
	*explanation.Document
	// Result is the request with the edits of the verdict; absent without edits.
	Result string `json:"result,omitempty"`
}

// judgeDocument is what the page has to know.
type judgeDocument struct {
	Config   string   `json:"config"`
	Partners []string `json:"partners"`
	BytesMax int      `json:"bytes_max"`
}

// addJudge adds the paths.
func (s *Server) addJudge(mux *http.ServeMux) {
	s.posts[judgePath] = JudgeMax
	mux.HandleFunc("GET "+judgePath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, judgeDocument{s.options.Judge.Config, append([]string{}, s.options.Judge.Partners()...), JudgeMax})
	})
	mux.HandleFunc("POST "+judgePath, s.judge)
}

// judge answers with the verdict on the body. Nothing of it is kept or logged, not even after a
// panic.
func (s *Server) judge(w http.ResponseWriter, r *http.Request) {
	select {
	case s.judging <- struct{}{}:
		defer func() { <-s.judging }()
	default:
		tooMany(w, errors.New("other requests are being judged"))
		return
	}
	if !s.judges.take() {
		tooMany(w, fmt.Errorf("more than %d requests a second", JudgesPerSecond))
		return
	}
	defer func() {
		if recover() != nil {
			s.options.Logger.Error("panic while a request of an operator was judged")
			writeError(w, http.StatusInternalServerError, "failed", errors.New("the request could not be judged"))
		}
	}()
	query := r.URL.Query()
	if err := knownParameters(query, "partner", "publisher", "peer"); err != nil {
		writeError(w, http.StatusBadRequest, "invalid", err)
		return
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, JudgeMax))
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid", errors.New("the body can't be read"))
		return
	}
	d, err := s.options.Judge.Explain(text, Sender{query.Get("partner"), query.Get("publisher"), query.Get("peer")})
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = explanation.Write(w, d) // whoever asked is gone
}

func tooMany(w http.ResponseWriter, err error) {
	w.Header().Set("Retry-After", "1")
	writeError(w, http.StatusTooManyRequests, "rate", err)
}
