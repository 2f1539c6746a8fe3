package outside

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// Patient is a person, and Visit a row of one.
type (
	Patient struct {
		ID  string `dapple:"patient_id"`
		Sex string
	}
	Visit struct {
		ID   string `dapple:"patient_id"`
		Ward string
	}
)

func init() {
	beam.RegisterType(reflect.TypeFor[Patient]())
	beam.RegisterType(reflect.TypeFor[Visit]())
}

// people: people, some without rows, and their rows, in two tables.
func people(ctx context.Context, patients []Patient, visits []Visit, out string) error {
	flat := &domain.Domain{PrivacyID: "patient_id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "ward", Type: domain.String, Values: []string{"A", "B"}, HasFallback: true},
	}}
	hospital, err := flat.WithEvents([]string{"sex"}, nil, []int64{0, 1, 2, 4}, 9)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	_, _, release := synth.SynthesizePeople(s, beam.CreateList(s, patients), beam.CreateList(s.Scope("visits"), visits),
		synth.PeopleParams{Params: synth.Params{Domain: hospital, Epsilon: 1, Delta: 1e-9, Rows: 500}})
	tables.Write(s, tables.Sample{Release: release, Rows: 500, Tables: true}, table.Target{Output: out, Format: "csv"})
	_, err = beam.Run(ctx, "prism", p)
	return err
}
