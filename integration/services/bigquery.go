package services

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/option"

	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// BigQuery is an emulator of BigQuery that runs until the test ends. It loads some 8,000 rows a second:
// a test stays below 10,000 rows, and gives every call a deadline.
type BigQuery struct {
	Project  string
	Endpoint string // such as "http://127.0.0.1:9050"; the URL of a Proxy may stand in its place
}

// StartBigQuery runs the emulator that BQ_EMULATOR_BIN names, and skips the test if it names none.
// storage is the URL of the emulator of Cloud Storage from which gs:// files are loaded; "" where none
// are.
func StartBigQuery(t testing.TB, storage string) *BigQuery {
	t.Helper()
	bin := os.Getenv("BQ_EMULATOR_BIN")
	switch bin {
	case "none":
		t.Skip("missing: the emulator, for nothing that it runs has changed; make nightly runs it")
	case "":
		t.Skip("missing: the emulator, for BQ_EMULATOR_BIN is not set: in integration/services/emulator run " +
			"go build -o FILE github.com/goccy/bigquery-emulator/cmd/bigquery-emulator, and set it to FILE")
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "emulator.log"))
	if err != nil {
		t.Fatal(err)
	}
	rest, grpc := strconv.Itoa(transformtest.Port(t)), strconv.Itoa(transformtest.Port(t))
	cmd := exec.Command(bin, "--project=test", "--host=127.0.0.1", "--port="+rest, "--grpc-port="+grpc)
	cmd.Env = append(os.Environ(), "STORAGE_EMULATOR_HOST="+storage)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()         // always "killed"
		if t.Failed() {
			showTail(t, log)
		}
		_ = log.Close()
	})
	b := &BigQuery{Project: "test", Endpoint: "http://127.0.0.1:" + rest}
	b.await(t)
	return b
}

// await returns once the emulator answers.
func (b *BigQuery) await(t testing.TB) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(b.Endpoint + "/bigquery/v2/projects/" + b.Project + "/datasets")
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	t.Fatal("the emulator of BigQuery does not answer")
}

// Config says how packages of dapple reach the emulator.
func (b *BigQuery) Config() bigqueryio.Client {
	return bigqueryio.Client{Project: b.Project, Endpoint: b.Endpoint, Anonymous: true}
}

// Client returns a client of the emulator itself, for preparing and looking at tables.
func (b *BigQuery) Client(t testing.TB) *bigquery.Client {
	t.Helper()
	c, err := bigquery.NewClient(context.Background(), b.Project, option.WithEndpoint(b.Endpoint), option.WithoutAuthentication())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Dataset creates a dataset at a location, such as "EU".
func (b *BigQuery) Dataset(t testing.TB, name, location string) *bigquery.Dataset {
	t.Helper()
	d := b.Client(t).Dataset(name)
	if err := d.Create(Deadline(t), &bigquery.DatasetMetadata{Location: location}); err != nil {
		t.Fatal(err)
	}
	return d
}

// Deadline returns a context that ends after five minutes, or with the test: no call takes more than some
// seconds, and one that hangs fails with its name before the whole test program does.
func Deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// showTail logs the last 4 kB of a file.
func showTail(t testing.TB, f *os.File) {
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Log(err)
		return
	}
	t.Logf("emulator of BigQuery: …%s", b[max(0, len(b)-4096):])
}
