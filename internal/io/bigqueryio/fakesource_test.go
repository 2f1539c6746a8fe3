package bigqueryio

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fakeSource answers as BigQuery does, as far as reading a table goes.
type fakeSource struct {
	Table     string             // JSON of the table's metadata; "" without a table
	NoDataset bool               // nor a dataset
	Fields    string             // JSON of the result's columns
	Rows      [][]any            // of the result
	Counted   int                // rows that the job reports
	Failures  []string           // reasons for which the first jobs fail, in order
	Refuse    map[string]refused // by method and the last part of the path but IDs: "POST jobs"

	mu   sync.Mutex
	jobs map[string]string // SQL by ID
}

// refused is a refusal of the service.
type refused struct {
	code            int
	reason, message string
	times           int  // how often; 0: always
	carriedOut      bool // the request was, although the answer says no
}

// start serves until the test ends.
func (f *fakeSource) start(t *testing.T) Client {
	t.Helper()
	f.jobs = map[string]string{}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return Client{Project: "billed", Endpoint: s.URL, Anonymous: true}
}

func (f *fakeSource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	last, kind := parts[len(parts)-1], parts[len(parts)-1]
	if kind != "jobs" {
		kind = parts[len(parts)-2]
	}
	ask := r.Method + " " + kind
	if no, ok := f.Refuse[ask]; ok {
		if no.times == 1 {
			delete(f.Refuse, ask)
		} else if no.times > 1 {
			no.times--
			f.Refuse[ask] = no
		}
		if no.carriedOut {
			f.insert(r)
		}
		sendRefusal(w, no)
		return
	}
	switch ask {
	case "GET tables":
		f.found(w, f.Table, f.Table != "", "Table")
	case "GET datasets":
		f.found(w, "{}", !f.NoDataset, "Dataset")
	case "POST jobs":
		if id, fresh := f.insert(r); fresh {
			fmt.Fprint(w, f.job(id))
		} else {
			sendRefusal(w, refused{code: 409, reason: "duplicate"})
		}
	case "GET jobs":
		f.found(w, f.job(last), f.jobs[last] != "", "Job")
	case "GET queries":
		f.result(w, f.jobs[last])
	default:
		http.NotFound(w, r)
	}
}

func (f *fakeSource) insert(r *http.Request) (id string, fresh bool) {
	var j struct {
		JobReference  struct{ JobID string }
		Configuration struct{ Query struct{ Query string } }
	}
	if json.NewDecoder(r.Body).Decode(&j) != nil || f.jobs[j.JobReference.JobID] != "" {
		return "", false
	}
	f.jobs[j.JobReference.JobID] = j.Configuration.Query.Query
	return j.JobReference.JobID, true
}

// job describes a job. One that fails says so where it is looked up, and quotes a cell.
func (f *fakeSource) job(id string) string {
	status := `{"state":"DONE"}`
	if n, err := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:]); err == nil && n < len(f.Failures) {
		status = fmt.Sprintf(`{"state":"DONE","errorResult":{"reason":%q,"location":"query","message":"Bad int64 value: s3cr3t"}}`, f.Failures[n])
	}
	return fmt.Sprintf(`{"jobReference":{"projectId":"billed","jobId":%q,"location":"EU"},"status":%s,"configuration":{"query":{
"query":"x","useLegacySql":false,"destinationTable":{"projectId":"billed","datasetId":"_anon","tableId":"result"}}}}`, id, status)
}

func (f *fakeSource) found(w http.ResponseWriter, body string, ok bool, what string) {
	if !ok {
		sendRefusal(w, refused{code: 404, reason: "notFound", message: "Not found: " + what})
		return
	}
	fmt.Fprint(w, body)
}

// result answers a query: the number of rows, or the rows themselves.
func (f *fakeSource) result(w http.ResponseWriter, sql string) {
	fields, rows, counted := f.Fields, f.Rows, f.Counted
	if strings.HasPrefix(sql, "SELECT COUNT(*)") {
		fields, rows, counted = `[{"name":"n","type":"INTEGER"}]`, [][]any{{fmt.Sprint(f.Counted)}}, 1
	}
	var cells []string
	for _, row := range rows {
		var one []string
		for _, v := range row {
			b, err := json.Marshal(map[string]any{"v": v})
			if err != nil {
				panic(err)
			}
			one = append(one, string(b))
		}
		cells = append(cells, `{"f":[`+strings.Join(one, ",")+`]}`)
	}
	fmt.Fprintf(w, `{"jobComplete":true,"totalRows":"%d","schema":{"fields":%s},"rows":[%s]}`, counted, fields, strings.Join(cells, ","))
}

func sendRefusal(w http.ResponseWriter, a refused) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.code)
	fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"errors":[{"reason":%q,"message":%q}]}}`, a.code, a.message, a.reason, a.message)
}
