package expansion

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// pupil is a record of TestStatementIsWhole.
type pupil struct {
	Sex string `beam:"sex" dapple:"sex"`
}

func init() { beam.RegisterType(reflect.TypeFor[pupil]()) }

// The output statement holds what _privacy.json of a run of the command does.
func TestStatementIsWhole(t *testing.T) {
	pipeline, s := beam.NewPipelineWithRoot()
	var list []pupil
	for i := range 300 {
		list = append(list, pupil{[]string{"F", "M"}[i%2]})
	}
	params := synth.Params{
		Domain:  &domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true}}},
		Epsilon: 1, Delta: 1e-9, Rows: 7,
	}
	_, release := synth.Synthesize(s, beam.CreateList(s, list), params)
	got := transformtest.Capture[Statement](s, state(s, release, params, publish.Description{Told: report.Told{Derived: []string{"sex (values)"}}}))
	must.Do(t, transformtest.RunOn("direct", pipeline))
	row, p := got.Elements()[0], report.Privacy{}
	must.Do(t, json.Unmarshal([]byte(row.Privacy), &p))
	for what, there := range map[string]bool{
		"the format": p.Format == 1, "what is not covered": len(p.NotCover) > 4, "the dictionary": len(p.Dictionary) == 1,
		"facts read off the data": strings.Contains(strings.Join(p.NotPrivate, " "), "sex (values)"), "that releases add": strings.Contains(row.Privacy, "losses of several releases add"), "the rows asked for": p.Rows == 7 && p.RowsFrom == "request",
		"the ledger": len(p.Ledger) > 0 && p.Guarantee() == row.Guarantee, "the measured error": p.Error.Measured != nil,
	} {
		must.Hold(t, there, "%s: missing in %s", what, row.Privacy)
	}
}
