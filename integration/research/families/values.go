package families

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/request/infer"
	_ "github.com/dapple-dp/dapple/io/csvio" // the tables are CSV
)

// Read reads a CSV file, one record per unit, over the domain that dapple infer proposes for it. The table's
// codes are the codes of records: values, if bins are to be learned.
func Read(ctx context.Context, name, path string) (*Table, error) {
	source, err := infer.Open(ctx, infer.Params{Input: path, FromData: true})
	if err != nil {
		return nil, err
	}
	text, err := source.Propose(ctx)
	if err != nil {
		return nil, err
	}
	file, err := schema.Parse(name+".yaml", text)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	found, err := table.Find(ctx, path, table.Options{})
	if err == nil {
		err = found.Check(ctx, file.Domain, file.CSV)
	}
	if err != nil {
		return nil, err
	}
	d, encoder := file.Domain, domain.NewEncoder(file.Domain)
	columns, codes := make([][]domain.Code, d.Len()), []domain.Code(nil)
	err = found.Each(ctx, d, file.CSV, func(chunk *domain.Chunk) error {
		codes = append(codes[:0], make([]domain.Code, chunk.Rows*d.Len())...)
		encoder.Encode(chunk, codes)
		for i, code := range codes {
			columns[i%d.Len()] = append(columns[i%d.Len()], code)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := NewTable(name, d, columns)
	t.Values, err = evaluate.ReadTrue(ctx, path, &schema.File{Domain: d.EqualBins(), CSV: file.CSV}, table.Options{})
	return t, err
}

// Coarsen returns the table on coarser codes.
func (t *Table) Coarsen(codes query.Recoding) mechanism.Counts {
	columns := make([][]domain.Code, len(t.Columns))
	for a, column := range t.Columns {
		if columns[a] = column; codes[a] != nil {
			columns[a] = make([]domain.Code, len(column))
			for r, v := range column {
				columns[a][r] = codes[a][v]
			}
		}
	}
	out := NewTable(t.Name, t.Domain, columns)
	out.Sizes = codes.Sizes(t.Sizes)
	return out
}

// Draw returns the values of as many rows of the model as there are units.
func (t *Table) Draw(s *Solved) (*domain.Chunk, error) {
	binned, err := t.Domain.WithBins(s.Bins)
	if err != nil {
		return nil, err
	}
	rows := population.NewRows(s.Model, s.Problem.Workload.Maximal().Cliques(), t.Units(), s.Problem.Seed)
	codes := make([]domain.Code, t.rows*t.Domain.Len())
	rows.Read(0, codes)
	chunk, word := new(domain.Chunk), rand.New(rand.NewPCG(s.Problem.Seed, 1))
	domain.NewDecoder(binned).Decode(chunk, codes, func(int, int) uint64 { return word.Uint64() })
	return chunk, nil
}

// Again returns the values of as many of the table's own rows, drawn with replacement.
func (t *Table) Again(seed uint64) *domain.Chunk {
	r := t.Resampled(seed)
	codes := make([]domain.Code, 0, t.rows*t.Domain.Len())
	for i := range t.rows {
		for _, column := range r.Columns {
			codes = append(codes, column[i])
		}
	}
	chunk := new(domain.Chunk)
	word := rand.New(rand.NewPCG(seed, 2))
	domain.NewDecoder(t.Domain).Decode(chunk, codes, func(int, int) uint64 { return word.Uint64() })
	return chunk
}

// Compare compares the values of rows with those that were read. The figures are not private.
func (t *Table) Compare(ctx context.Context, rows *domain.Chunk) (*evaluate.Values, error) {
	cells := t.Domain.EqualBins()
	b := evaluate.NewBuilder(cells)
	b.Add(rows)
	report, err := evaluate.Compare(ctx, evaluate.Tables{Real: t.Values, Synthetic: b.Table()},
		query.AllMarginals(cells.Sizes(), 1, mostCells), cells)
	if err != nil {
		return nil, err
	}
	return report.Real.Values, nil
}

// Calendar returns the largest difference between rows and those that were read in the share of a day of the week, and in
// the share of a month of the year, of any column of dates.
func (t *Table) Calendar(rows *domain.Chunk) (weekday, month float64) {
	for a := range t.Domain.Attributes {
		x := &t.Domain.Attributes[a]
		if x.Fine() == 0 || !x.Type.Facts().Calendar || x.Type == domain.Time {
			continue
		}
		var days [7]float64
		var months [13]float64
		add := func(native int64, by float64) {
			at := x.Type.Time(native)
			days[at.Weekday()] += by / float64(t.rows)
			months[at.Month()] += by / float64(t.rows)
		}
		first := (x.Cuts[0] + x.Resolution - 1) / x.Resolution
		for r, code := range t.Columns[a] {
			if int(code) < x.Fine() {
				add((first+int64(code))*x.Resolution, 1)
			}
			if c := &rows.Columns[a]; !c.Null(r) {
				add(c.Ints[r], -1)
			}
		}
		for _, d := range days {
			weekday = max(weekday, math.Abs(d))
		}
		for _, m := range months {
			month = max(month, math.Abs(m))
		}
	}
	return weekday, month
}
