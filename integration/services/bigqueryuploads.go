package services

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strconv"
)

// media is what has arrived of a load's file that is sent in several requests. The emulator makes the job
// with the first of them, which the service does with the last, and keeps none of the others: the proxy
// collects them and passes the whole on in one.
type media struct {
	path string
	job  []byte // JSON
	data []byte
}

// begin opens an upload.
func (p *Proxy) begin(w http.ResponseWriter, r *http.Request) {
	job, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.uploads = append(p.uploads, &media{path: r.URL.Path, job: job})
	w.Header().Set("Location", fmt.Sprintf("%s%s?uploadType=resumable&upload_id=%d", p.URL, r.URL.Path, len(p.uploads)-1))
}

// LoseChunks makes the next chunks that are not the last of a file meet the given faults, one each. The
// last one asks for the job, and meets those of StartProxy.
func (p *Proxy) LoseChunks(faults ...Fault) { p.chunkFaults = faults }

// Pending returns how many faults have not been met yet.
func (p *Proxy) Pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.faults) + len(p.chunkFaults)
}

// chunk takes in a chunk. Bytes that are there already are passed over.
func (p *Proxy) chunk(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	last, fault, u := p.keep(r, body)
	switch {
	case u == nil:
		refuse(w, http.StatusBadRequest, "invalid", "a range that does not follow")
	case last:
		p.insert(w, u.whole(r))
	case fault == Before503 || fault == After503:
		refuse(w, http.StatusServiceUnavailable, "backendError", "Service unavailable")
	case fault == AfterDrop:
		panic(http.ErrAbortHandler)
	default:
		w.Header().Set("X-Http-Status-Code-Override", "308")
	}
}

// keep appends what is new of a chunk to its upload, which is nil if the chunk does not follow.
func (p *Proxy) keep(r *http.Request, body []byte) (last bool, fault Fault, u *media) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := strconv.Atoi(r.URL.Query().Get("upload_id"))
	from, total, ok := ChunkRange(r.Header.Get("Content-Range"))
	if err != nil || n < 0 || n >= len(p.uploads) || !ok {
		return false, None, nil
	}
	u = p.uploads[n]
	held := int64(len(u.data))
	if from < 0 {
		from = held
	}
	if from > held {
		return false, None, nil
	}
	if total < 0 && len(p.chunkFaults) > 0 {
		fault, p.chunkFaults = p.chunkFaults[0], p.chunkFaults[1:]
	}
	if fault != Before503 {
		u.data = append(u.data, body[min(held-from, int64(len(body))):]...)
	}
	return total >= 0, fault, u
}

// whole is the request that sends job and file in one.
func (u *media) whole(r *http.Request) *http.Request {
	var b bytes.Buffer
	parts := multipart.NewWriter(&b)
	for _, part := range []struct {
		kind string
		data []byte
	}{{"application/json", u.job}, {"application/octet-stream", u.data}} {
		w, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {part.kind}})
		if err == nil {
			_, err = w.Write(part.data)
		}
		if err != nil {
			panic("services: a buffer does not fail: " + err.Error())
		}
	}
	_ = parts.Close() // a buffer does not fail
	out := r.Clone(r.Context())
	out.URL.RawQuery = "uploadType=multipart"
	out.Header.Del("Content-Range")
	out.Header.Set("Content-Type", "multipart/related; boundary="+parts.Boundary())
	out.Body, out.ContentLength = io.NopCloser(&b), int64(b.Len())
	return out
}
