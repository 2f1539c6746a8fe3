package gcs

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// fault is what happens to one request.
type fault string

const (
	before503 fault = "before503" // answered 503, not carried out
	after503  fault = "after503"  // carried out, answered 503
	afterDrop fault = "afterdrop" // carried out, connection cut
	denied    fault = "403"       // answered 403, not carried out
	halfway   fault = "halfway"   // connection cut in the middle of the answer
	halfSent  fault = "halfsent"  // connection cut in the middle of a chunk; the service keeps what came
	forgotten fault = "forgotten" // a chunk that is not the last is answered as if it were kept, and is not
)

// kind is a kind of request.
type kind string

const (
	upload kind = "upload" // of a small object, or the begin of a resumable upload
	chunk  kind = "chunk"  // of a resumable upload
	copied kind = "copy"
	remove kind = "delete"
	list   kind = "list"
	read   kind = "read"
)

func kindOf(r *http.Request) kind {
	switch {
	case r.Method == http.MethodDelete:
		return remove
	case strings.Contains(r.URL.Path, "/rewriteTo/"):
		return copied
	case r.URL.Query().Has("upload_id"):
		return chunk
	case strings.HasPrefix(r.URL.Path, "/upload/"):
		return upload
	case strings.HasSuffix(r.URL.Path, "/o"):
		return list
	}
	return read
}

// proxy stands in front of the emulator and loses requests or their answers.
type proxy struct {
	next  http.Handler
	watch func(*http.Request) // sees every request, if not nil

	mu     sync.Mutex
	kind   kind
	fault  fault
	from   int // the first request of the kind that meets the fault, counted from 0
	times  int // how many do
	counts map[kind]int
	met    int
}

// startProxy puts a proxy before the emulator until the test ends.
func startProxy(t *testing.T, s *fakestorage.Server) *proxy {
	t.Helper()
	target := must.Value(url.Parse(s.URL()))(t)
	p := &proxy{next: httputil.NewSingleHostReverseProxy(target), counts: map[kind]int{}}
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", front.URL)
	return p
}

// inject makes times requests of a kind fail, beginning with the given one from now on.
func (p *proxy) inject(k kind, f fault, from, times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kind, p.fault, p.from, p.times, p.met, p.counts = k, f, from, times, 0, map[kind]int{}
}

// seen returns how many requests of a kind there were since the last injection, and how many failed.
func (p *proxy) seen(k kind) (requests, failed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[k], p.met
}

// next fault of a request.
func (p *proxy) draw(k kind) fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.counts[k]
	p.counts[k]++
	if k != p.kind || n < p.from || n >= p.from+p.times {
		return ""
	}
	p.met++
	return p.fault
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.watch != nil {
		p.watch(r)
	}
	switch f := p.draw(kindOf(r)); f {
	case before503:
		http.Error(w, "try again", http.StatusServiceUnavailable)
	case denied:
		http.Error(w, "no", http.StatusForbidden)
	case after503, afterDrop:
		p.next.ServeHTTP(httptest.NewRecorder(), r)
		if f == afterDrop {
			panic(http.ErrAbortHandler)
		}
		http.Error(w, "try again", http.StatusServiceUnavailable)
	case halfway:
		answer := httptest.NewRecorder()
		p.next.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2]) // it is cut anyway
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case halfSent:
		cutChunk(r)
		p.next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case forgotten:
		w.Header().Set("X-Http-Status-Code-Override", "308")
	default:
		p.next.ServeHTTP(w, r)
	}
}

// cutChunk leaves of a chunk the whole pieces of its first half that the service keeps.
func cutChunk(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	from, _, ok := services.ChunkRange(r.Header.Get("Content-Range"))
	if err != nil || !ok {
		panic(http.ErrAbortHandler)
	}
	const piece = 256 << 10
	services.Rechunk(r, from, body[:len(body)/2/piece*piece], -1)
}
