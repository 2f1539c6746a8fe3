package generate

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// Params says which table to make.
type Params struct {
	People int    // at least 1
	Seed   uint64 // any number
}

// Header holds the names of the columns.
var Header = []string{
	"person_id", "sex", "age", "region", "insurance", "income", "visited", "department", "cost", "admitted",
}

// Write writes the table as CSV, person by person, the visits of each in the order of their dates. Its
// errors are the writer's.
func Write(w io.Writer, p Params) error {
	out := csv.NewWriter(w)
	if err := out.Write(Header); err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	row := make([]string, len(Header))
	for i := range p.People {
		if err := writePerson(out, row, i, rand.New(rand.NewPCG(p.Seed, uint64(i)))); err != nil {
			return fmt.Errorf("generate: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	return nil
}

// writePerson writes the visits of person number i. It overwrites row.
func writePerson(out *csv.Writer, row []string, i int, r *rand.Rand) error {
	p := newPerson(r)
	visited := make([]int, p.visits(r))
	for v := range visited {
		visited[v] = r.IntN(days)
	}
	slices.Sort(visited)
	row[0] = fmt.Sprintf("P%07d", i+1)
	row[1], row[3], row[4], row[5] = p.sex, p.region, p.insurance, p.income
	for _, day := range visited {
		v := newVisit(r, &p, day)
		row[2] = ""
		if !p.noAge {
			row[2] = strconv.Itoa((p.born + day) / 365)
		}
		row[6] = dates[day]
		row[7], row[8], row[9] = v.department, v.cost, strconv.FormatBool(v.admitted)
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// dates holds the text of every day of 2024.
var dates = func() (text [days]string) {
	first := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range text {
		text[i] = first.AddDate(0, 0, i).Format(time.DateOnly)
	}
	return text
}()
