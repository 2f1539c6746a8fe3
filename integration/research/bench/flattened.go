package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/integration/research/families"
)

// flatRows is how many rows of a person stand beside each other in a flattened table: all that careers have.
const flatRows = 40

// flattening makes one line of a person's rows and back, as programs without histories want it: the columns of the person and
// the columns of its first row, then for each other row the gap to the row before and its columns, all NULL if there is no such row.
type flattening struct {
	id, order     string
	person, other []string // columns that stay the same, and those that do not, without the order
	last          int      // the largest value of the order
	columns       map[string]string
}

// newFlattening flattens a history whose order is a whole number.
func newFlattening(h families.History, person []string, last int) flattening {
	names := strings.Split(h.Columns, ",")
	f := flattening{id: names[0], order: strings.TrimPrefix(h.Order, "order: "), person: person, last: last, columns: map[string]string{}}
	for _, line := range strings.Split(h.Domain, "\n") {
		if _, rest, ok := strings.Cut(line, "{name: "); ok {
			name, what, _ := strings.Cut(rest, ", ")
			f.columns[name] = strings.TrimSuffix(what, "}")
		}
	}
	for _, name := range names[1:] {
		if name != f.order && !slices.Contains(person, name) {
			f.other = append(f.other, name)
		}
	}
	return f
}

// domain returns the domain file of the flattened table.
func (f flattening) domain() string {
	text := "privacy_id: " + f.id + "\ncolumns:\n"
	add := func(name, what string) { text += fmt.Sprintf("  - {name: %s, %s}\n", name, what) }
	for _, name := range slices.Concat(f.person, []string{f.order}) {
		add(name, f.columns[name])
	}
	for i := range flatRows {
		if i > 0 {
			add(fmt.Sprint("gap_", i), fmt.Sprintf("type: INT64, min: 0, max: %d, null: true", f.last))
		}
		for _, name := range f.other {
			what := f.columns[name]
			if i > 0 {
				what, _, _ = strings.Cut(what, ", fallback")
				what += ", null: true"
			}
			add(fmt.Sprint(name, "_", i), what)
		}
	}
	return text
}

// header returns the columns of the flattened table, without the ID.
func (f flattening) header() []string {
	out := slices.Concat(f.person, []string{f.order})
	for i := range flatRows {
		if i > 0 {
			out = append(out, fmt.Sprint("gap_", i))
		}
		for _, name := range f.other {
			out = append(out, fmt.Sprint(name, "_", i))
		}
	}
	return out
}

// table is a CSV file in memory.
type table struct {
	at   map[string]int
	rows [][]string
}

func readTable(pattern string) (t table, err error) {
	names, err := filepath.Glob(pattern)
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return t, err
		}
		rows, err := csv.NewReader(file).ReadAll()
		if file.Close(); err != nil || len(rows) == 0 {
			return t, fmt.Errorf("%s: %w", name, err)
		}
		t.at = map[string]int{}
		for i, column := range rows[0] {
			t.at[column] = i
		}
		t.rows = append(t.rows, rows[1:]...)
	}
	return t, err
}

func writeTable(name string, header []string, rows [][]string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	if err := w.WriteAll(append([][]string{header}, rows...)); err != nil {
		return err
	}
	return file.Close()
}

// flatten writes the flattened table of a table whose people's rows stand together, in order.
func (f flattening) flatten(from, to string) error {
	t, err := readTable(from)
	if err != nil {
		return err
	}
	width, before := 1+len(f.header()), 0
	var out [][]string
	for i, row := range t.rows {
		at, err := strconv.Atoi(row[t.at[f.order]])
		if err != nil {
			return err
		}
		if i == 0 || row[t.at[f.id]] != t.rows[i-1][t.at[f.id]] {
			line := []string{row[t.at[f.id]]}
			for _, name := range append(slices.Clone(f.person), f.order) {
				line = append(line, row[t.at[name]])
			}
			out = append(out, line)
		} else if len(out[len(out)-1]) < width {
			out[len(out)-1] = append(out[len(out)-1], strconv.Itoa(at-before))
		}
		if last := &out[len(out)-1]; len(*last) < width {
			for _, name := range f.other {
				*last = append(*last, row[t.at[name]])
			}
		}
		before = at
	}
	for i := range out {
		out[i] = append(out[i], make([]string, width-len(out[i]))...)
	}
	return writeTable(to, append([]string{f.id}, f.header()...), out)
}

// unflatten writes a line of each row of people in a flattened table, up to the first that is NULL in part.
func (f flattening) unflatten(from, to string) error {
	t, err := readTable(from)
	if err != nil {
		return err
	}
	var out [][]string
	for who, line := range t.rows {
		at := 0
		for i := range flatRows {
			step := f.order
			if i > 0 {
				step = fmt.Sprint("gap_", i)
			}
			row, whole := []string{strconv.Itoa(who)}, line[t.at[step]] != ""
			for _, name := range f.person {
				row = append(row, line[t.at[name]])
			}
			if gap, err := strconv.Atoi(line[t.at[step]]); err == nil {
				at = min(at+gap, f.last)
			}
			row = append(row, strconv.Itoa(at))
			for _, name := range f.other {
				x := line[t.at[fmt.Sprint(name, "_", i)]]
				row, whole = append(row, x), whole && x != ""
			}
			if !whole {
				break
			}
			out = append(out, row)
		}
	}
	return writeTable(to, slices.Concat([]string{f.id}, f.person, []string{f.order}, f.other), out)
}
