package services

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// sessions keeps what Cloud Storage keeps of resumable uploads and the emulator does not: bytes that a
// session holds already are passed over when they are sent again, bytes that leave a gap are refused, and
// a session that has made its object answers the same from then on. Without it a chunk whose answer was
// lost is there twice.
//
// Source: cloud.google.com/storage/docs/resumable-uploads, "Integrity checks", and performing-resumable-uploads.
type sessions struct {
	held  map[string]int64                      // bytes by session
	ended map[string]*httptest.ResponseRecorder // the answer of a session that is complete
}

func newSessions() sessions {
	return sessions{held: map[string]int64{}, ended: map[string]*httptest.ResponseRecorder{}}
}

// serve passes a chunk on to the emulator. One request at a time.
func (s *sessions) serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("upload_id")
	answer := s.ended[id]
	if answer == nil {
		answer = httptest.NewRecorder()
		s.chunk(next, answer, r, id)
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // the client may be gone
}

func (s *sessions) chunk(next http.Handler, answer *httptest.ResponseRecorder, r *http.Request, id string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	from, total, ok := ChunkRange(r.Header.Get("Content-Range"))
	if from < 0 { // an end without bytes
		from = s.held[id]
	}
	if !ok || from > s.held[id] {
		http.Error(answer, "a range that does not follow", http.StatusBadRequest)
		return
	}
	end := from + int64(len(body))
	body = body[min(s.held[id]-from, int64(len(body))):]
	if len(body) == 0 && total < 0 { // nothing new, and no end
		answer.Header().Set("X-Http-Status-Code-Override", "308")
		return
	}
	Rechunk(r, s.held[id], body, total)
	if next.ServeHTTP(answer, r); answer.Code >= 300 {
		return
	}
	if s.held[id] = max(s.held[id], end); answer.Header().Get("X-Http-Status-Code-Override") != "308" {
		s.ended[id] = answer
	}
}

// ChunkRange reads a header such as "bytes 0-99/*" or "bytes */100": where the chunk begins, −1 if it
// has no bytes, and the size of the object, −1 if it is not known yet.
func ChunkRange(header string) (from, total int64, ok bool) {
	span, size, ok := strings.Cut(strings.TrimPrefix(header, "bytes "), "/")
	first, _, _ := strings.Cut(span, "-")
	number := func(s string) int64 {
		if s == "*" {
			return -1
		}
		n, err := strconv.ParseInt(s, 10, 64)
		ok = ok && err == nil && n >= 0
		return n
	}
	return number(first), number(size), ok
}

// Rechunk makes a request carry body as the chunk that begins at from.
func Rechunk(r *http.Request, from int64, body []byte, total int64) {
	span, size := "*", "*"
	if len(body) > 0 {
		span = fmt.Sprintf("%d-%d", from, from+int64(len(body))-1)
	}
	if total >= 0 {
		size = strconv.FormatInt(total, 10)
	}
	r.Header.Set("Content-Range", "bytes "+span+"/"+size)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}
