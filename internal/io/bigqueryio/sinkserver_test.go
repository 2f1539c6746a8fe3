package bigqueryio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// script says what a loadServer does. Each insertion takes the next of inserts, each look at a job
// the next of looks, each job that is made the next of ends; where a list is used up all goes well.
type script struct {
	inserts []string // "", or "503", "400 invalid"; "made " before it: carried out all the same; "drop": no answer
	looks   []string // the same
	ends    []string // "", or the reason of a job that fails, "running" before it: not at the first look
	dataset string   // "": there; or an answer such as "404 notFound"
	table   string   // JSON; "": none
	dryRun  string   // answer to a query that is only planned
	denied  bool     // no permission on the table
	silent  bool     // no statistics
	count   string   // what a counting query answers
}

// loadServer plays BigQuery by a script, and keeps what it was asked.
type loadServer struct {
	script
	http *httptest.Server
	url  string

	mu       sync.Mutex
	made     map[string]*madeJob
	order    []string // IDs inserted, in order
	uploaded int      // bytes of the last media
	request  string   // of the last insertion
	patched  string   // last change of the table
}

type madeJob struct{ running, reason string }

func newLoadServer(does script) *loadServer {
	f := &loadServer{script: does, made: map[string]*madeJob{}}
	f.http = httptest.NewServer(f)
	f.url = f.http.URL
	return f
}

// start runs a server until the test ends.
func start(t *testing.T, does script) *loadServer {
	f := newLoadServer(does)
	t.Cleanup(f.http.Close)
	return f
}

// insertions returns how often a job has been inserted or refused.
func (f *loadServer) insertions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.order)
}

// secret stands in every message of the service: it is what must not be shown.
const secret = "cell value 4711"

func next(list *[]string) string {
	if len(*list) == 0 {
		return ""
	}
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}

// answer does what an entry of a script says; false: all goes well.
func answer(w http.ResponseWriter, script string) bool {
	code, reason, _ := strings.Cut(script, " ")
	if script == "drop" {
		panic(http.ErrAbortHandler)
	}
	if script == "" {
		return false
	}
	if reason == "" {
		reason = "backendError"
	}
	n := 0
	fmt.Sscan(code, &n)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(n)
	fmt.Fprintf(w, `{"error": {"code": %d, "message": %q, "errors": [{"reason": %q, "message": %q}]}}`, n, secret, reason, secret)
	return true
}

func (f *loadServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/jobs"):
		f.insert(w, r)
	case strings.Contains(path, "/jobs/"):
		f.look(w, r)
	case strings.HasSuffix(path, "/queries"):
		fmt.Fprintf(w, `{"jobComplete": true, "totalRows": "1", "schema": {"fields": [{"name": "n", "type": "INTEGER"}]}, "rows": [{"f": [{"v": %q}]}]}`, f.count)
	case strings.HasSuffix(path, ":testIamPermissions"):
		if f.denied {
			fmt.Fprint(w, `{"permissions": ["bigquery.tables.updateData"]}`)
			return
		}
		fmt.Fprint(w, `{"permissions": ["bigquery.tables.update", "bigquery.tables.updateData"]}`)
	case strings.Contains(path, "/tables/"):
		f.lookAtTable(w, r)
	default:
		if !answer(w, f.dataset) {
			fmt.Fprint(w, `{"location": "EU", "datasetReference": {"projectId": "p", "datasetId": "d"}}`)
		}
	}
}

func (f *loadServer) lookAtTable(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		body, _ := io.ReadAll(r.Body)
		f.patched = string(body)
		fmt.Fprint(w, `{"type": "TABLE"}`)
		return
	}
	if f.table == "" {
		answer(w, "404 notFound")
		return
	}
	fmt.Fprint(w, f.table)
}

func (f *loadServer) insert(w http.ResponseWriter, r *http.Request) {
	id, body := f.read(r)
	if strings.Contains(body, `"dryRun":true`) {
		if !answer(w, f.dryRun) {
			fmt.Fprint(w, `{"jobReference": {"projectId": "p", "jobId": "dry"}, "configuration": {"query": {}}, "status": {"state": "DONE"}}`)
		}
		return
	}
	f.order, f.request = append(f.order, id), body
	script, made := strings.CutPrefix(next(&f.inserts), "made ")
	if f.made[id] != nil {
		answer(w, "409 duplicate")
		return
	}
	if script == "" || made {
		end := next(&f.ends)
		reason, running := strings.CutPrefix(end, "running ")
		f.made[id] = &madeJob{reason: reason}
		if running || end == "running" {
			f.made[id].running = "once"
		}
	}
	if !answer(w, script) {
		fmt.Fprint(w, f.state(id))
	}
}

// read returns the job's ID and the configuration, which is the first part where there is media.
func (f *loadServer) read(r *http.Request) (id, body string) {
	b, _ := io.ReadAll(r.Body)
	if kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); strings.HasPrefix(kind, "multipart/") {
		parts := multipart.NewReader(bytes.NewReader(b), params["boundary"])
		first, _ := parts.NextPart()
		b, _ = io.ReadAll(first)
		media, _ := parts.NextPart()
		content, _ := io.ReadAll(media)
		f.uploaded = len(content)
	}
	var job struct{ JobReference struct{ JobID string } }
	_ = json.Unmarshal(b, &job)
	return job.JobReference.JobID, string(b)
}

func (f *loadServer) look(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if answer(w, next(&f.looks)) {
		return
	}
	if f.made[id] == nil || r.URL.Query().Get("location") != "EU" {
		answer(w, "404 notFound")
		return
	}
	fmt.Fprint(w, f.state(id))
}

// state is the job as it is answered.
func (f *loadServer) state(id string) string {
	job := f.made[id]
	state, fault, stats := "DONE", "", `, "statistics": {"load": {"outputRows": "10"}}`
	if job.running == "once" {
		state, job.running = "RUNNING", ""
	} else if job.reason != "" && job.reason != "running" {
		fault = fmt.Sprintf(`, "errorResult": {"reason": %q, "message": %q, "location": "gs://b/part-1"}`, job.reason, secret)
	}
	if f.silent {
		stats = ""
	}
	return fmt.Sprintf(`{"jobReference": {"projectId": "p", "jobId": %q, "location": "EU"}, "configuration": {"load": {}}, "status": {"state": %q%s}%s}`,
		id, state, fault, stats)
}
