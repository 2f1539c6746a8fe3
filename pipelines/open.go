package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/cellkind"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/discover"
)

// A domain file may leave parts open. They are found as a whole domain is, from the columns that have open parts alone, and
// the file is completed with them: what it declares stays, and costs nothing.

// parsedDomain is a domain file that was read once for a command that can find open parts.
type parsedDomain struct {
	file   *schema.File // with what stands for open parts
	open   *schema.Open // nil: none
	faults Faults
}

// Finds reads the domain file of a request, and reports whether all of its domain or parts of it are to be found.
func Finds(ctx context.Context, c *Config) bool {
	if c.Domain == "" {
		return true
	}
	p := &parsedDomain{}
	data, err := readDomainText(ctx, c.Domain)
	if err == nil {
		p.file, p.open, err = schema.ParseOpen(c.Domain, data)
	}
	p.faults, c.parsed = fileFaults("--domain", err), p
	return p.open != nil
}

// open is what the domain file of a request leaves open; nil: nothing.
func (c Config) open() *schema.Open {
	if c.parsed == nil {
		return nil
	}
	return c.parsed.open
}

// wholly reports whether all columns are to be found.
func (c Config) wholly() bool { return c.open() == nil || c.open().Whole }

// takeDeclared takes over what a domain file declares whose columns are all to be found.
func (r *FindRequest) takeDeclared(f *Faults) {
	open := r.open()
	if open == nil {
		return
	}
	file := r.parsed.file
	r.PrivacyID, r.form = orDefault(file.Domain.PrivacyID, schema.NoPrivacyID), file.CSV
	r.ExpectedRows = orDefault(r.ExpectedRows, file.ExpectedRows)
	r.checkOpenRows(f)
}

// checkUnit refuses two words on who is protected.
func (r *FindRequest) checkUnit(f *Faults) {
	if r.Domain != "" && r.PrivacyID != "" {
		f.add("--privacy_id", "is given, and so is --domain, which says who is protected", "leave one of them out")
	}
}

// checkOpenRows refuses to find how many rows a person has where nobody is named.
func (r *FindRequest) checkOpenRows(f *Faults) {
	if r.open().Rows && unitColumn(r.PrivacyID) == "" {
		f.add("--domain", "events: rows: max: is to be found, and no privacy_id says whose rows they are", "declare privacy_id")
	}
}

// setOpen sets what is to be found of a file with open parts.
func (r *FindRequest) setOpen(ctx context.Context, f *Faults) {
	file, open := r.parsed.file, r.open()
	r.PrivacyID = file.Domain.PrivacyID
	r.ExpectedRows = orDefault(r.ExpectedRows, file.ExpectedRows)
	r.setParams(publish.OpenColumns(open.Columns))
	r.checkOpenRows(f)
	if r.People != "" {
		f.add("--people_input", "cannot be read where parts of the domain are to be found", "declare them in the domain file")
	}
	numeric := slices.ContainsFunc(open.Columns, func(c schema.OpenColumn) bool { return c.Type == domain.Numeric })
	if r.form = file.CSV; r.source != nil && numeric {
		r.scales(ctx, f)
	}
}

// scales sets the decimal places of NUMERIC columns, which a table may declare: at most as many as a NUMERIC has, and of these
// as many as are found.
func (r *FindRequest) scales(ctx context.Context, f *Faults) {
	var described []table.Column
	if t, ok := r.source.(*table.Files); !ok || t.Typed() { // else a record might be read
		var err error
		if described, _, err = r.source.Describe(ctx, r.form); err != nil {
			*f = append(*f, ErrorFaults("--input", err)...)
			return
		}
	}
	for i := range r.params.Columns {
		c := &r.params.Columns[i]
		if c.Type != domain.Numeric {
			continue
		}
		c.Scale = cellkind.MaxPlaces
		for _, d := range described {
			if d.Name == c.Name && !d.Untyped && d.Type == domain.Numeric {
				c.Scale = min(d.Scale, 4)
			}
		}
	}
}

// complete returns the text of the domain of a request once it is found.
func (r *FindRequest) complete(found *discover.Found, charge *schema.Charge) ([]byte, error) {
	csv := ""
	if r.wholly() {
		csv = r.csvKeys()
	}
	return publish.Complete(r.open(), found, csv, charge)
}

// completedName is the name, in the directory of what was found, of a completed domain file that has faults.
const completedName = "domain.yaml"

// checkCompleted reads a completed domain file. It refuses one with faults, and keeps it, so that their places can be looked up.
func (r *FindRequest) checkCompleted(ctx context.Context, text []byte) (*schema.File, error) {
	file, faults := parseDomain(r.dir+"/"+completedName, text)
	if len(faults) == 0 {
		return file, nil
	}
	_, _, err := keep.Open(r.dir).CreateIfAbsent(ctx, completedName, text)
	return nil, errors.Join(faults, err)
}

// openNote says what of a file was found; empty: all of it.
func (r *FindRequest) openNote(budget string) string {
	if r.wholly() {
		return ""
	}
	parts := openParts(r.open())
	return fmt.Sprintf("what the domain file left open was found with %s: %s", budget, strings.Join(parts, ", "))
}

// openParts names the open parts of a file.
func openParts(o *schema.Open) (list []string) {
	if o == nil {
		return nil
	}
	for i := range o.Columns {
		list = append(list, o.Columns[i].String())
	}
	if o.Rows {
		list = append(list, "rows of a person (max)")
	}
	return slices.Clip(list)
}
