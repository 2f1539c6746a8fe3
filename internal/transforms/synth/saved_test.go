package synth

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// releasedVisits returns what was released of made-up records, of a domain with two columns.
func releasedVisits(t *testing.T) (*Artifact, *domain.Domain) {
	t.Helper()
	d := visits()
	p, s := beam.NewPipelineWithRoot()
	got := transformtest.Capture[*Artifact](s, Solve(s, stats(s, 300), SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe"}).Artifacts(s))
	must.Do(t, transformtest.RunOn("prism", p))
	return got.Elements()[0], d
}

// A saved release is its model file or its encoding, and both have the same rows. The domain is the model's own; another
// one is refused, in words that name the column.
func TestSaved(t *testing.T) {
	a, d := releasedVisits(t)
	encoded := must.Value(a.Encode())(t)
	var rows [2][]*domain.Chunk
	for i, model := range [][]byte{a.Model, encoded} {
		p, s := beam.NewPipelineWithRoot()
		r := must.Value(Saved(s, model, d))(t)
		got := transformtest.Capture[*domain.Chunk](s, Sample(s, r, SampleParams{Rows: 400, Shards: 1}))
		must.Do(t, transformtest.RunOn("prism", p))
		rows[i] = got.Elements()
		rows[i][0].Source = ""
	}
	must.Hold(t, reflect.DeepEqual(rows[0], rows[1]) && rows[0][0].Rows == 400, "the model file and the encoding have other rows")
	_, s := beam.NewPipelineWithRoot()
	other, fewer := visits(), visits()
	other.Attributes[0].Values = append([]string{"another"}, other.Attributes[0].Values[1:]...)
	fewer.Attributes = fewer.Attributes[:1]
	for want, call := range map[string]func() error{
		`column "` + d.Attributes[0].Name + `" of the model`: func() error { _, err := Saved(s, a.Model, other); return err },
		"the model has columns":                              func() error { _, err := Saved(s, a.Model, fewer); return err },
		"not a model file":                                   func() error { _, err := Saved(s, []byte("x"), nil); return err },
		"either a Path or":                                   func() error { return ModelRef{}.Validate() },
		"Artifact.Ref computes it":                           func() error { return ModelRef{Path: "x"}.Validate() },
	} {
		must.Fail(t, call(), want)
	}
}

// Conditional rows come out of a pipeline, and all of them meet the condition.
func TestSampleWhere(t *testing.T) {
	a, d := releasedVisits(t)
	column := d.Attributes[0]
	p, s := beam.NewPipelineWithRoot()
	r := must.Value(Saved(s, a.Model, nil))(t)
	where := column.Name + " = '" + column.Values[0] + "'"
	got := transformtest.Capture[*domain.Chunk](s, Sample(s, r, SampleParams{Rows: 200, Where: where}))
	share := transformtest.Capture[Published](s, Write(s, r, WriteParams{Where: where, MinRows: 10, Sink: SinkRef{"dir", t.TempDir()}}))
	must.Do(t, transformtest.RunOn("prism", p))
	n := 0
	for _, c := range got.Elements() {
		for i := range c.Rows {
			text := c.Columns[0].Dict[c.Columns[0].Ints[i]]
			must.Need(t, text == column.Values[0], "a row has %q", text)
			n++
		}
	}
	must.Hold(t, n == 200 && share.Elements()[0].Rows != 0 && share.Elements()[0].Rows < int64(a.Result.Total.Units),
		"%d rows; by default %d of %g", n, share.Elements()[0].Rows, a.Result.Total.Units)
	for _, where := range []string{"nothing = 1", column.Name + " ="} {
		func() {
			defer func() {
				text, _ := recover().(string)
				must.Hold(t, strings.Contains(text, "synth: Where: "), "%s: said %q", where, text)
			}()
			Sample(s, r, SampleParams{Where: where})
		}()
	}
}
