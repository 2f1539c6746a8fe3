// Package gcs tests dapple on objects of Cloud Storage, against an emulator in this process.
package gcs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/parquetio"
)

var ctx = context.Background()

func TestMain(m *testing.M) {
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // failures that are meant would be logged at length
	if input := os.Getenv(readVariable); input != "" {
		os.Exit(readAlone(input))
	}
	os.Exit(m.Run())
}

// put makes an object.
func put(s *fakestorage.Server, name, content string) {
	bucket, path, _ := strings.Cut(strings.TrimPrefix(name, "gs://"), "/")
	s.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: path}, Content: []byte(content)})
}

// names lists everything in a bucket.
func names(t testing.TB, s *fakestorage.Server, bucket string) (all []string) {
	t.Helper()
	list := must.Value(s.ListObjectsWithOptionsPaginated(bucket, fakestorage.ListOptions{}))(t)
	for _, o := range list.Objects {
		all = append(all, o.Name)
	}
	return all
}

const shopDomain = `privacy_id: customer
columns:
  - {name: plan, type: STRING, values: [basic, plus, pro], other: true}
  - {name: age, type: INT64, min: 18, max: 98, bins: 4, null: true}
  - {name: active, type: BOOL, fallback: false}
`

// shopCSV is a table of n customers.
func shopCSV(n int) string {
	var b strings.Builder
	b.WriteString("customer,plan,age,active\n")
	for i := range n {
		fmt.Fprintf(&b, "c%d,%s,%d,%v\n", i, []string{"basic", "plus", "pro", "trial"}[i%4], 18+i*i%80, i%3 == 0)
	}
	return b.String()
}

// shop starts a storage with a domain file and a table of 300 customers, and returns a request for them.
func shop(t *testing.T) (*fakestorage.Server, pipelines.Config) {
	t.Helper()
	s := services.StartStorage(t, "shop", "release")
	put(s, "gs://shop/domain.yaml", shopDomain)
	put(s, "gs://shop/in/customers.csv", shopCSV(300))
	return s, pipelines.Config{
		Domain: "gs://shop/domain.yaml", Input: "gs://shop/in/customers.csv", Output: "gs://shop/out",
		Epsilon: 1, Delta: 1e-6, Method: "dpam", Runner: "direct", Shards: 2,
	}
}

func run(t testing.TB, c pipelines.Config) (*pipelines.Result, error) {
	t.Helper()
	r, err := pipelines.ValidateRun(ctx, c)
	if err != nil {
		return nil, err
	}
	return pipelines.Run(ctx, r)
}

func mustRun(t testing.TB, c pipelines.Config) *pipelines.Result {
	t.Helper()
	res := must.Value(run(t, c))(t)
	return res
}

// complete fails unless a name holds finished output: every file of the manifest is there as it was
// written, and nothing else is.
func complete(t testing.TB, dir string, rows int64) *dirsink.Output {
	t.Helper()
	m := must.Value(dirsink.Open(ctx, dir))(t)
	must.Pass(t, m.Verify(ctx))
	must.Hold(t, rows <= 0 || m.Rows == rows, "%s: %d rows, want %d", dir, m.Rows, rows)
	there, err := files.Names(ctx, m.Release)
	want := len(m.Released) + 1
	must.Hold(t, err == nil && len(there) == want, "%s holds %v, %v; want %d files", m.Release, there, err, want)
	return m
}
