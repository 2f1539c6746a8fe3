package jobstest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Dataflow is the interface of Google's Dataflow for one job, which is in the state that Set was told last, and begins
// as JOB_STATE_PENDING.
type Dataflow struct {
	Endpoint string                                     // of project p in region r
	Refuses  func(*http.Request) (code int, why string) // 0: it does not; nil: it refuses nothing
	Made     func(request []byte)                       // called when a job is submitted; nil: nobody wants to know

	mu      sync.Mutex
	state   string
	errors  []string
	jobs    int
	cancels int
}

// DataflowJob is the ID of every job.
const DataflowJob = "2026-11-22_job"

// StartDataflow starts one, which ends with the test.
func StartDataflow(t testing.TB) *Dataflow {
	t.Helper()
	d := &Dataflow{state: "JOB_STATE_PENDING"}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.Endpoint = "dataflow://p/r@" + server.URL
	return d
}

// Set puts the job into a state, after errors that are said of it.
func (d *Dataflow) Set(state string, errors ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state, d.errors = state, append(d.errors, errors...)
}

// Jobs returns how many jobs were submitted, and Cancels how often one was to be cancelled.
func (d *Dataflow) Jobs() int { d.mu.Lock(); defer d.mu.Unlock(); return d.jobs }

// Cancels is described with Jobs.
func (d *Dataflow) Cancels() int { d.mu.Lock(); defer d.mu.Unlock(); return d.cancels }

func (d *Dataflow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.Refuses != nil {
		if code, why := d.Refuses(r); code != 0 {
			w.WriteHeader(code)
			answer(w, map[string]any{"error": map[string]any{"code": code, "message": why}})
			return
		}
	}
	const all = "/v1b3/projects/p/locations/r/jobs"
	body, _ := io.ReadAll(r.Body) // what is missing no decoder takes
	d.mu.Lock()
	made := d.Made
	defer func() {
		d.mu.Unlock()
		if made != nil && r.Method == http.MethodPost {
			made(body)
		}
	}()
	switch r.Method + " " + strings.TrimPrefix(r.URL.Path, all) {
	case "GET ":
		answer(w, map[string]any{})
	case "POST ":
		d.jobs++
		answer(w, map[string]any{"id": DataflowJob})
	case "PUT /" + DataflowJob:
		var to struct {
			RequestedState string `json:"requestedState"`
		}
		if json.Unmarshal(body, &to) == nil && to.RequestedState == "JOB_STATE_CANCELLED" {
			d.cancels++
			d.state = to.RequestedState
		}
		answer(w, map[string]any{})
	case "GET /" + DataflowJob:
		answer(w, map[string]any{"id": DataflowJob, "currentState": d.state})
	case "GET /" + DataflowJob + "/messages":
		var list []map[string]string
		for _, text := range d.errors {
			list = append(list, map[string]string{"messageText": text, "messageImportance": "JOB_MESSAGE_ERROR"})
		}
		answer(w, map[string]any{"jobMessages": list})
	case "GET /" + DataflowJob + "/metrics":
		answer(w, map[string]any{"metrics": []any{counter("ours", "rows", "true", 1000), counter("ours", "rows", "", 7), counter("theirs", "secret", "true", 7)}})
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(w, map[string]any{"error": map[string]any{"code": http.StatusNotFound, "message": fmt.Sprintf("%s %s: no such thing", r.Method, r.URL.Path)}})
	}
}

// counter is a metric of Dataflow's.
func counter(namespace, name, tentative string, n int) map[string]any {
	return map[string]any{"scalar": n, "name": map[string]any{"origin": "user", "name": name,
		"context": map[string]string{"namespace": namespace, "step": "s1", "tentative": tentative}}}
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // a client that is gone needs none
