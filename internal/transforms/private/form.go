package private

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// The tables that records are read from.
const (
	wholeRecord = iota // all columns
	peopleTable        // records of people
	rowsTable          // the others
)

// form says which columns of a domain a table has. A Frame travels as compressed text: a domain can have a megabyte of values.
type form struct {
	Public query.Frame // the domain alone
	Table  int
}

func formOf(d *domain.Domain, table int) form { return form{query.Frame{Domain: *d}, table} }

// open returns the columns of the table, and what makes records of their codes.
func (f form) open() (*domain.Domain, *packer) {
	whole := &f.Public.Domain
	p, d := &packer{domain: whole, layout: contribution.NewRecordLayout(whole)}, whole.Recorded()
	if f.Table == wholeRecord {
		return d, p
	}
	people, rows, ofPeople, ofRows := whole.Events.Split(d)
	p.record = make([]domain.Code, 1+d.Len())
	if f.Table == peopleTable {
		p.record[0], p.columns = 1, ofPeople
		return people, p
	}
	p.columns = ofRows
	return rows, p
}

// packer packs codes of the columns of a table as records.
type packer struct {
	domain  *domain.Domain
	layout  *contribution.Layout
	columns []int         // which columns of a record the table has; nil: all, in order
	record  []domain.Code // begins with the table, as contribution.NewRecordLayout says it
}

func (p *packer) pack(dst []byte, codes []domain.Code) []byte {
	if p.columns == nil {
		p.domain.ToGaps(codes, p.layout.Attributes())
		return p.layout.Pack(dst, codes)
	}
	for ; len(codes) > 0; codes = codes[len(p.columns):] {
		for i, a := range p.columns {
			p.record[1+a] = codes[i]
		}
		if p.record[0] == 0 { // columns of events
			p.domain.ToGaps(p.record[1:], len(p.record)-1)
		}
		dst = p.layout.Pack(dst, p.record)
	}
	return dst
}
