package pipelines

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/solver"
)

// mostPublic is the largest number of possible records of a domain that a public table is read for: beyond it no
// method that uses one has the memory.
const mostPublic = 1e9

// checkPublic reads the table that the request declares public, before anything of the private table is opened. It has the
// form of the private table; a privacy ID is not read, and every row counts.
func checkPublic(ctx context.Context, r *Request, f *Faults) {
	if r.Public == "" {
		return
	}
	d := *r.File.Domain
	switch _, cells, _ := d.Universe(); {
	case d.Events != nil:
		f.add("--public", "the domain has events, and no method uses a public table of those", "leave one of them out")
		return
	case d.Learns():
		f.add("--public", "the bins of some columns are to be learned, and a public table needs them declared", "give these columns bins, edges or values, or leave it out")
		return
	case !(cells <= mostPublic):
		f.add("--public", fmt.Sprintf("is used by methods that list all possible records, and this domain has %.3g", cells), "leave it out, or give columns fewer values or bins")
		return
	}
	source, err := table.Find(ctx, r.Public, r.Services)
	if err == nil && r.isInput(source) {
		f.add("--public", "is the private table", "name a table that anybody may see")
		return
	}
	d.PrivacyID = ""
	if err == nil {
		err = source.Check(ctx, &d, r.File.CSV)
	}
	if err == nil {
		r.public, err = readPublic(ctx, source, r, &d)
	}
	*f = append(*f, ErrorFaults("--public", err)...)
}

// publicName returns the name of the table for the statement: of a local one without its directory.
func publicName(name string) string {
	if isTable(name) || files.Remote(name) {
		return name
	}
	return filepath.Base(name)
}

// isInput reports whether a table is the private one, as far as names and states of files tell.
func (r *Request) isInput(t table.Source) bool {
	if absolute(r.Public) == absolute(r.Input) {
		return true
	}
	if r.source == nil {
		return false
	}
	a, known := r.source.Identity()
	b, also := t.Identity()
	return known && also && a == b
}

func readPublic(ctx context.Context, source table.Source, r *Request, d *domain.Domain) (*solver.Public, error) {
	b, encoder := solver.NewPublicBuilder(d.Sizes()), domain.NewEncoder(d)
	var codes []domain.Code
	err := source.Each(ctx, d, r.File.CSV, func(c *domain.Chunk) error {
		if n := c.Rows * d.Len(); n > len(codes) {
			codes = make([]domain.Code, n)
		}
		encoder.Encode(c, codes[:c.Rows*d.Len()])
		b.Add(codes[:c.Rows*d.Len()])
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return b.Table()
}
