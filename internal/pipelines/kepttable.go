package pipelines

import (
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// keptTable is a table of texts whose records are kept since its domain was found.
type keptTable struct {
	table.Source
	kept    *private.Kept
	columns []discover.Column // of what is kept
}

// Read returns what is kept.
func (t keptTable) Read(s beam.Scope, d *domain.Domain, _ schema.CSV) beam.PCollection {
	at := make([]int, d.Len())
	for i := range at {
		at[i] = slices.IndexFunc(t.columns, func(c discover.Column) bool { return c.Name == d.Attributes[i].Name })
	}
	return t.kept.Read(s, at)
}

// roomForKept is how many times the size of a table its disk has left where records are kept: the run needs some of it.
const roomForKept = 4

// keeps reports whether records are kept while a domain is found: the texts of all columns, by a process that does all the work, on
// a disk with room.
func (r *FindRequest) keeps() bool {
	if r.alone || !r.wholly() || r.Strict || r.Engine.runner.Elsewhere || r.Engine.runner.Service || files.InMemory(r.to.scratch) {
		return false
	}
	typed := slices.ContainsFunc(r.params.Columns, func(c discover.Column) bool { return !c.Untyped })
	room, known := files.Space(r.to.scratch)
	return !typed && known && room.Bytes > roomForKept*decodedBytes(r.source)
}
