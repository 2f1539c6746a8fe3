package services

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// conditions stands before the emulator and keeps what it does not: its copies and deletions ignore the
// conditions of a request on the state of the object, so that two copies to one free name both
// succeed. Cloud Storage looks and acts in one step; here conditional writes go one at a time, and one
// whose condition does not hold gets the answer of the service. Uploads
// keep their conditions without.
type conditions struct {
	next   http.Handler
	server *fakestorage.Server
	mu     sync.Mutex
	sessions
}

func (c *conditions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch want := r.URL.Query().Get("ifGenerationMatch"); {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
	case want == "":
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.URL.Query().Has("upload_id") {
			c.serve(c.next, w, r)
			return
		}
	default:
		c.mu.Lock()
		defer c.mu.Unlock()
		if bucket, name, ok := target(r); ok && want != c.generation(bucket, name) {
			http.Error(w, `{"error": {"code": 412, "message": "At least one of the pre-conditions you specified did not hold."}}`, http.StatusPreconditionFailed)
			return
		}
	}
	c.next.ServeHTTP(w, r)
}

// generation is the generation of a name's object, as the service writes it; 0 without an object.
func (c *conditions) generation(bucket, name string) string {
	o, err := c.server.GetObject(bucket, name)
	if err != nil {
		return "0"
	}
	return strconv.FormatInt(o.Generation, 10)
}

// target is the object that a copy or a deletion changes.
func target(r *http.Request) (bucket, name string, ok bool) {
	path := r.URL.EscapedPath()
	if _, to, copies := strings.Cut(path, "/rewriteTo"); copies {
		path = to
	} else if r.Method != http.MethodDelete {
		return "", "", false
	}
	_, path, _ = strings.Cut(path, "/b/")
	bucket, name, _ = strings.Cut(path, "/o/")
	name, err := url.PathUnescape(name)
	return bucket, name, err == nil
}
