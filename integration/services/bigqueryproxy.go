package services

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Fault is what happens to one request for a load job.
type Fault string

// The faults of a network and of a service under load.
const (
	None      Fault = ""
	Before503 Fault = "before503" // answered 503, not carried out
	After503  Fault = "after503"  // carried out, answered 503
	AfterDrop Fault = "afterdrop" // carried out, connection cut
)

// Proxy stands in front of the emulator and does what the emulator does not: a job's ID is accepted
// once and answered 409 from then on, and a job is found only if its location is given. On request
// it loses answers.
type Proxy struct {
	URL string

	next     http.Handler
	mu       sync.Mutex // one insertion at a time
	accepted map[string]bool
	loads    int
	faults   []Fault
}

// StartProxy runs a proxy of the emulator until the test ends. The first requests for load jobs meet
// the given faults, one each.
func StartProxy(t testing.TB, b *BigQuery, faults ...Fault) *Proxy {
	t.Helper()
	target, err := url.Parse(b.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{next: httputil.NewSingleHostReverseProxy(target), accepted: map[string]bool{}, faults: slices.Clone(faults)}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Through returns the emulator as it is reached through the proxy.
func (p *Proxy) Through(b *BigQuery) *BigQuery { return &BigQuery{Project: b.Project, Endpoint: p.URL} }

// Loads returns how many load jobs the emulator has carried out.
func (p *Proxy) Loads() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loads
}

var (
	insertion = regexp.MustCompile(`/projects/[^/]+/jobs$`)
	oneJob    = regexp.MustCompile(`/projects/[^/]+/jobs/[^/]+$`)
)

// ServeHTTP passes a request on, by the rules above.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && insertion.MatchString(r.URL.Path):
		p.insert(w, r)
	case r.Method == http.MethodGet && oneJob.MatchString(r.URL.Path) && r.URL.Query().Get("location") == "":
		refuse(w, http.StatusNotFound, "notFound", "Not found: Job")
	default:
		p.next.ServeHTTP(w, r)
	}
}

// insert treats a request for a job.
func (p *Proxy) insert(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	id, load, err := jobOf(r.Header.Get("Content-Type"), body)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := None
	if load && len(p.faults) > 0 {
		fault, p.faults = p.faults[0], p.faults[1:]
	}
	if fault == Before503 {
		refuse(w, http.StatusServiceUnavailable, "backendError", "Service unavailable")
		return
	}
	answer := httptest.NewRecorder()
	if p.accepted[id] {
		refuse(answer, http.StatusConflict, "duplicate", "Already Exists: Job "+id)
	} else {
		p.next.ServeHTTP(answer, r)
		if p.accepted[id] = id != "" && answer.Code < 300; load && answer.Code < 300 {
			p.loads++
		}
	}
	switch fault {
	case After503:
		refuse(w, http.StatusServiceUnavailable, "backendError", "Service unavailable")
	case AfterDrop:
		panic(http.ErrAbortHandler)
	default:
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the client may be gone
	}
}

// jobOf returns the ID of the job that a request asks for, and whether it is a load job. With media the
// job is the first part.
func jobOf(contentType string, body []byte) (id string, load bool, err error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", false, err
	}
	if strings.HasPrefix(kind, "multipart/") {
		part, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).NextPart()
		if err != nil {
			return "", false, err
		}
		if body, err = io.ReadAll(part); err != nil {
			return "", false, err
		}
	}
	var job struct {
		JobReference  struct{ JobID string }
		Configuration struct{ Load json.RawMessage }
	}
	err = json.Unmarshal(body, &job)
	return job.JobReference.JobID, job.Configuration.Load != nil, err
}

// refuse answers as BigQuery does.
func refuse(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"error": {"code": %d, "message": %q, "errors": [{"reason": %q, "message": %q}]}}`, code, message, reason, message)
}
