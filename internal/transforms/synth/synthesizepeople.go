package synth

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// PeopleParams configures SynthesizePeople.
type PeopleParams struct {
	Params                // Rows is the number of people, As the type of their rows
	PeopleAs reflect.Type // struct type of the people; default: the type of the records of people
}

// Validate is Params.Validate for a domain in which people without rows exist. people and rows are the struct types of the
// records of both tables.
func (p PeopleParams) Validate(people, rows reflect.Type) error {
	if err := p.domainFault(); err != nil {
		return err
	}
	if e := p.Domain.Events; e == nil || !e.NoRows {
		return errors.New("synth: Params.Domain: SynthesizePeople is for domains in which people without rows exist; call Synthesize")
	}
	ofPeople, ofRows, _, _ := p.Domain.Events.Split(p.Domain.Recorded())
	madePeople, madeRows := relation.Tables(p.Domain)
	return p.validate(rows, inputFault(people, ofPeople), inputFault(rows, ofRows),
		outputFault(p.peopleAs(people), madePeople.Domain), outputFault(p.sample(rows).As, madeRows.Domain))
}

func (p PeopleParams) peopleAs(people reflect.Type) reflect.Type {
	if p.PeopleAs != nil {
		return p.PeopleAs
	}
	if people == chunkType {
		return nil
	}
	return people
}

// SynthesizePeople is Synthesize for two collections of private structs: people, with the privacy ID and the columns of a
// person, and rows, with the privacy ID and the other columns. Some people have no rows, and rows of people who are not
// there are not used. Both come out as synthetic structs, in whose fields of the privacy ID is the number of the person, as a
// whole number or as text.
func SynthesizePeople(s beam.Scope, people, rows beam.PCollection, p PeopleParams) (madePeople, madeRows beam.PCollection, release Release) {
	person, row := people.Type().Type(), rows.Type().Type()
	if err := errors.Join(p.Validate(person, row), private.ValidateCollection(people), private.ValidateCollection(rows)); err != nil {
		panic(fmt.Sprintf("synth: SynthesizePeople:\n%v", err))
	}
	st := p.Steps(row)
	coded := private.EncodePeople(s, people, rows, p.Domain, private.EncodeParams{})
	release = Solve(s, counts.Count(s, private.Bound(s, coded, st.Bound), st.Workload, st.Count), st.Solve)
	madePeople, madeRows = SamplePeople(s, release, p.peopleAs(person), st.Sample)
	return madePeople, madeRows, release
}

// SamplePeople is Sample for a domain with events, as two tables: of people, in structs of a type, or chunks if it is nil,
// and of their rows, in structs of type p.As, or chunks. Both have the number of the person.
func SamplePeople(s beam.Scope, r Release, peopleAs reflect.Type, p SampleParams) (people, rows beam.PCollection) {
	r.mustBe()
	if r.domain.Events == nil {
		panic("synth: two tables are of people and their rows, and the domain has no events")
	}
	s = s.Scope("dapple.SamplePeople")
	rows = sample(s.Scope("rows"), r, p, ofRows)
	p.As = peopleAs
	return sample(s.Scope("people"), r, p, ofPeople), rows
}
