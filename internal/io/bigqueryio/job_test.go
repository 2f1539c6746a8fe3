package bigqueryio

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The ID is pinned: were it to change, a run that is repeated by a new version could load twice.
func TestJobName(t *testing.T) {
	s := sinkTo(&loadServer{})
	must.Equal(t, s.jobName("m"), name)
	got := jobID(name, 2)
	must.Hold(t, got == name+"_2", "got %s", got)
}

// Whatever tells two loads apart is in the ID, and nothing that differs between attempts is.
func TestJobNameDiffers(t *testing.T) {
	seen := map[string]string{}
	add := func(what, model string, change func(*Sink)) {
		s := sinkTo(&loadServer{})
		change(&s)
		n := s.jobName(model)
		other, twice := seen[n]
		must.Hold(t, !twice, "%s and %s have one ID", what, other)
		seen[n] = what
	}
	add("the load", "m", func(*Sink) {})
	add("another run", "m", func(s *Sink) { s.RunID = "ru" })
	add("another run and model that read the same", "nm", func(s *Sink) { s.RunID = "ru" })
	add("another model", "mm", func(*Sink) {})
	add("another table", "m", func(s *Sink) { s.Table.Name = "u" })
	add("more shards", "m", func(s *Sink) { s.Shards = 3 })
	add("another column", "m", func(s *Sink) { s.Domain.Attributes[0].Name = "c" })
	add("a column with NULL", "m", func(s *Sink) { s.Domain.Attributes[0].Null = true })
	add("a column of another type", "m", func(s *Sink) { s.Domain.Attributes[0].Type = 3 })
}
