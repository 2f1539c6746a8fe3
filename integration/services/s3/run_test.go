package s3

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const domainFile = `privacy_id: customer
columns:
  - {name: plan, type: STRING, values: [basic, plus, pro], other: true}
  - {name: age, type: INT64, min: 18, max: 98, bins: 4, null: true}
`

// putShop makes a table of 300 customers and its domain file.
func putShop(t *testing.T) {
	t.Helper()
	var b strings.Builder
	b.WriteString("customer,plan,age\n")
	for i := range 300 {
		fmt.Fprintf(&b, "c%d,%s,%d\n", i, []string{"basic", "plus", "pro", "trial"}[i%4], 18+i*i%80)
	}
	for name, text := range map[string]string{"s3://shop/domain.yaml": domainFile, "s3://shop/in/customers.csv": b.String()} {
		must.Do(t, files.Create(ctx, name, []byte(text)))
	}
}

// A whole run from objects to objects, then rows of its model; nothing else is left in the bucket.
func TestWholeRun(t *testing.T) {
	start(t, "shop")
	putShop(t)
	c := pipelines.Config{Domain: "s3://shop/domain.yaml", Input: "s3://shop/in/*.csv", Output: "s3://shop/out",
		Epsilon: 1, Delta: 1e-6, Method: "dpam", Runner: "direct", Shards: 2, Rows: 500}
	r, err := pipelines.ValidateRun(ctx, c)
	if err == nil {
		_, err = pipelines.Run(ctx, r)
	}
	must.Do(t, err)
	verify(t, "s3://shop/out", 500)
	more, err := pipelines.ValidateSample(ctx, pipelines.SampleConfig{
		Model: "s3://shop/out", Output: "s3://shop/more", Format: "csv", Rows: 70, Shards: 3, Where: "plan=pro", Runner: "direct",
	})
	if err == nil {
		_, err = pipelines.RunSample(ctx, more)
	}
	must.Do(t, err)
	verify(t, "s3://shop/more", 70)
	left, err := files.Names(ctx, "s3://shop")
	must.Hold(t, err == nil && strings.Join(left, " ") == "domain.yaml in more more.release out out.release", "in the bucket: %v, %v", left, err)
	_, err = pipelines.ValidateRun(ctx, c)
	must.Hold(t, pipelines.IsRequest(err), "output that is there: %v", err)
	c.Output, c.Release = "bq://p.d.t", "s3://shop/bq"
	_, err = pipelines.ValidateRun(ctx, c)
	must.Hold(t, pipelines.IsRequest(err) && strings.Contains(err.Error(), "not of s3://"), "a table loaded from S3: %v", err)
}

func verify(t *testing.T, dir string, rows int64) {
	t.Helper()
	m, err := dirsink.Open(ctx, dir)
	if err == nil {
		err = errors.Join(m.Check(ctx), m.Verify(ctx))
	}
	must.Hold(t, err == nil && m.Rows == rows, "%s: %v", dir, err)
}
