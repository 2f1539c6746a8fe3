package pipelines

import (
	"context"
	"errors"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/kit/bounded"
	"github.com/dapple-dp/dapple/io/table"
)

// checkInput finds the table that the input names, and opens no part of it.
func checkInput(ctx context.Context, r *Request, f *Faults) {
	if r.Input == "" {
		f.add("--input", "is required: the private table", "")
		return
	}
	var err error
	if r.source, err = table.Find(ctx, r.Input, r.Services); err != nil {
		f.add("--input", cause.Text(err), "")
	}
}

// inputBytes returns the number of bytes to read, of rows and of people; whole is false if one of the two is not known.
func (r *Request) inputBytes() (n int64, whole bool) {
	n, whole = r.source.Bytes(), r.source.Bytes() > 0
	if r.people != nil {
		n, whole = n+r.people.Bytes(), whole && r.people.Bytes() > 0
	}
	return n, whole
}

// checkColumns compares the input's columns with the domain's, if that needs, or does not need, the table
// to be opened.
func checkColumns(ctx context.Context, r *Request, byMetadata bool, f *Faults) {
	if r.people != nil && r.people.ByMetadata() == byMetadata {
		people, _, _, _ := r.File.Domain.Events.Split(r.File.Domain.Recorded())
		*f = append(*f, ErrorFaults("--people_input", r.people.Check(ctx, people, r.File.CSV.WithHeader()))...)
	}
	if r.source == nil || r.File == nil || r.source.ByMetadata() != byMetadata {
		return
	}
	whole := r.File.Domain.Recorded()
	if r.people != nil {
		_, rows, _, _ := r.File.Domain.Events.Split(whole)
		whole = rows
	}
	*f = append(*f, ErrorFaults("--input", r.source.Check(ctx, whole, r.File.CSV))...)
	r.layOut(ctx)
}

// layOut orders the columns of rows as the input has them, by its header or schema alone. If there is none to be read, the
// order is that of the domain file.
func (r *Request) layOut(ctx context.Context) {
	names, err := r.source.Columns(ctx, r.File.CSV)
	if err != nil {
		return // said by the check
	}
	if r.people != nil {
		people, err := r.people.Columns(ctx, r.File.CSV.WithHeader())
		if err != nil {
			return
		}
		r.File.Domain.LayOutTables(people, names)
		return
	}
	r.File.Domain.LayOut(names)
}

// ErrorFaults returns an error as faults of one flag, one for each of the errors that it joins, without
// the names of packages; nil for nil.
func ErrorFaults(where string, err error) (faults Faults) {
	for _, e := range cause.Each(err) {
		fault := Fault{Where: where, What: cause.Text(e)}
		if rest := bounded.Rest(0); errors.As(e, &rest) {
			fault.more = int(rest)
		}
		faults = append(faults, fault)
	}
	return faults
}
