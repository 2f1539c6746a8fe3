// Package synthtest is for tests of pipelines that have a stage of package synth. Its Synthesize takes the place of
// synth.Synthesize and makes dry rows: they follow from the domain alone. No record is read, no noise is drawn, ε is 0, and
// the same parameters make the same rows in every run.
//
//	synthesize := synth.Synthesize
//	if testing.Testing() {
//		synthesize = synthtest.Synthesize
//	}
//	rows, release := synthesize(s, orders, params)
//
// Dry rows keep what the domain declares: types, values, limits, NULLs, keys and rules between columns. They show no relation
// that the records have: their columns are drawn evenly and independently. So tests look at types, rules and numbers of rows, not at figures.
//
// Dry rows are marked. The method of their release is Method, its statement has ε = 0 and an empty ledger, and its model says
// in place of a guarantee that the rows come from no data. The manifest of package tables says so too (claim P71).
package synthtest

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/dry"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Method is the Method of an Artifact of dry rows. No released model has it.
const Method = dry.Method

// DefaultRows is the number of dry rows, or of dry people, where Params.Rows names none.
const DefaultRows = 1000

// seed is the seed of dry rows whose parameters have neither SampleSeed nor RunID.
const seed = 1

// Release returns a release of dry rows of a domain, for synth.Sample and tables.Write. It panics if d is invalid.
func Release(s beam.Scope, d *domain.Domain, rows int64) synth.Release {
	if d == nil {
		panic("synthtest: the domain is nil; give the one that the records have")
	}
	err := d.Validate()
	if err == nil {
		var model []byte
		if model, err = dry.File(d, rows, seed).Encode(); err == nil {
			var r synth.Release
			if r, err = synth.Saved(s, model, nil); err == nil {
				return r
			}
		}
	}
	panic(fmt.Sprintf("synthtest: %v", err))
}

// Synthesize takes the place of synth.Synthesize in a test. It refuses what that refuses: p and the type of the records are
// checked as there. Rows and SampleSeed have defaults of their own: DefaultRows, and a fixed seed.
func Synthesize(s beam.Scope, records beam.PCollection, p synth.Params) (rows beam.PCollection, release synth.Release) {
	row := records.Type().Type()
	if err := errors.Join(p.Validate(row), private.ValidateCollection(records)); err != nil {
		panic(fmt.Sprintf("synthtest: Synthesize:\n%v", err))
	}
	p = fixed(p)
	release = Release(s, p.Domain, p.Rows)
	return synth.Sample(s, release, p.Steps(row).Sample), release
}

// SynthesizePeople takes the place of synth.SynthesizePeople in a test, as Synthesize does of synth.Synthesize.
func SynthesizePeople(s beam.Scope, people, rows beam.PCollection, p synth.PeopleParams) (madePeople, madeRows beam.PCollection, release synth.Release) {
	person, row := people.Type().Type(), rows.Type().Type()
	if err := errors.Join(p.Validate(person, row), private.ValidateCollection(people), private.ValidateCollection(rows)); err != nil {
		panic(fmt.Sprintf("synthtest: SynthesizePeople:\n%v", err))
	}
	if p.Params = fixed(p.Params); p.PeopleAs == nil && person != reflect.TypeFor[*domain.Chunk]() {
		p.PeopleAs = person
	}
	release = Release(s, p.Domain, p.Rows)
	madePeople, madeRows = synth.SamplePeople(s, release, p.PeopleAs, p.Steps(row).Sample)
	return madePeople, madeRows, release
}

// fixed returns p with the defaults of this package.
func fixed(p synth.Params) synth.Params {
	if p.Rows == 0 {
		p.Rows = DefaultRows
	}
	if p.SampleSeed == 0 && p.RunID == "" {
		p.SampleSeed = seed
	}
	return p
}
