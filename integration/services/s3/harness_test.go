// Package s3 tests dapple on objects of S3, against a gateway that speaks its protocol over a local directory.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/parquetio"
	_ "github.com/dapple-dp/dapple/io/s3"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // the runner's plans
	os.Exit(m.Run())
}

// program names the gateway.
const program = "DAPPLE_S3_GATEWAY"

// network stands between the client and the gateway, and loses answers.
type network struct {
	mu   sync.Mutex
	lose func(*http.Request) bool // reports whether the answer is lost, after the gateway has done what was asked
	lost int
}

func (n *network) losing(lose func(*http.Request) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lose, n.lost = lose, 0
}

// start runs a gateway with a bucket until the test ends. Clients find it by the environment.
func start(t *testing.T, bucket string) *network {
	t.Helper()
	gateway := os.Getenv(program)
	if gateway == "" {
		t.Skip("missing: the gateway for S3, which make services builds and names by " + program)
	}
	dir := t.TempDir()
	data, meta := filepath.Join(dir, "data"), filepath.Join(dir, "meta")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Join(data, bucket), 0o700), os.Mkdir(meta, 0o700)))
	address := fmt.Sprint("127.0.0.1:", transformtest.Port(t))
	const key = "dapple-test"
	cmd := exec.Command(gateway, "--access", key, "--secret", key, "--port", address, "--quiet", "posix", "--sidecar", meta, data)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the gateway said:\n%s", said.String())
		}
	})
	n := &network{}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.ErrorLog = nil
	proxy.ModifyResponse = func(r *http.Response) error {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.lose != nil && r.StatusCode < 300 && n.lose(r.Request) {
			n.lost++
			return errors.New("lost")
		}
		return nil
	}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	front := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(front) }()
	t.Cleanup(func() { _ = server.Close() })
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": "http://" + front.Addr().String(), "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": key,
		"AWS_REGION": "us-east-1", "AWS_CONFIG_FILE": "/none", "AWS_SHARED_CREDENTIALS_FILE": "/none",
	} {
		t.Setenv(name, value)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return n
		}
		must.Need(t, !time.Now().After(deadline), "the gateway does not listen:\n%s", said.String())
	}
}

// write makes an object by the given call.
func write(create func(context.Context, string) (files.Writer, error), name string, content []byte) error {
	w, err := create(ctx, name)
	if err != nil {
		return err
	}
	for rest := content; len(rest) > 0; {
		n, err := w.Write(rest[:min(len(rest), 1<<20)])
		if err != nil {
			w.Abort()
			return err
		}
		rest = rest[n:]
	}
	return w.Close()
}

// content reads a version of an object.
func content(o files.Info, offset, length int64) (string, error) {
	r, err := files.SystemOf(o.Name).Open(ctx, o, offset, length)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(r)
	return string(b), errors.Join(err, r.Close())
}

func text(n int, seed byte) []byte {
	return []byte(strings.Repeat(string(rune('a'+seed%26)), n))
}
