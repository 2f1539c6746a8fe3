package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// column is one column of a generated table: values as texts, "" for NULL, and as the domain file declares it.
type column struct {
	name, declared string // nothing declared: the model has the column, and the table does not
	texts          []string
	written        func(text string) string // how the table has them; nil: the same
}

// generated is a table with one row for each person, or several if it is of events.
type generated struct {
	family  string
	persons []int // of each row; nil: a row is a person
	head    string
	columns []column
	full    bool               // no column has NULL
	exact   bool               // each value is a cell: rows are compared as they are
	answers map[string]float64 // true answers to the workload's linear queries, by id
	terms   []string           // flags of the promise; none: δ = 1e-9
	idle    int                // people without rows
	all     string             // the table of all people, with their first column, which the other table lacks; "": none
}

// registry is the flag that names the table of all people.
func (g *generated) registry() []string {
	if g.all == "" {
		return nil
	}
	return []string{"--people_input=people.csv"}
}

// promise are the flags that say what is promised.
func (g *generated) promise() []string {
	if g.terms == nil {
		return []string{"--delta=1e-9"}
	}
	return g.terms
}

// people is the number of persons.
func (g *generated) people() int {
	if g.persons == nil {
		return len(g.columns[0].texts)
	}
	return g.persons[len(g.persons)-1] + 1 + g.idle
}

// csv writes the table.
func (g *generated) csv() string {
	var b strings.Builder
	given := g.given()
	if g.all != "" {
		given = given[1:]
	}
	b.WriteString("id")
	for _, c := range given {
		b.WriteString("," + c.name)
	}
	b.WriteString("\n")
	for r := range g.columns[0].texts {
		person := r
		if g.persons != nil {
			person = g.persons[r]
		}
		fmt.Fprintf(&b, "p%d", person)
		for _, c := range given {
			text := c.texts[r]
			if c.written != nil {
				text = c.written(text)
			}
			b.WriteString("," + text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// yaml is its domain file.
func (g *generated) yaml() string {
	var b strings.Builder
	b.WriteString("privacy_id: id\n" + g.head + "columns:\n")
	for _, c := range g.given() {
		null := ", null: true"
		if g.full {
			null = ""
		}
		fmt.Fprintf(&b, "  - {name: %s, %s%s}\n", c.name, c.declared, null)
	}
	return b.String()
}

// given are the columns of the table.
func (g *generated) given() []column {
	return slices.DeleteFunc(slices.Clone(g.columns), func(c column) bool { return c.declared == "" })
}

// list declares categories.
func list(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = "v" + strconv.Itoa(i)
	}
	return "type: STRING, values: [" + strings.Join(names, ", ") + "]"
}

// add appends a column whose values are drawn row by row.
func (g *generated) add(name, declared string, rows int, value func(r int) string) {
	c := column{name: name, declared: declared}
	for r := range rows {
		c.texts = append(c.texts, value(r))
	}
	g.columns = append(g.columns, c)
}

// number returns a value of a column, NaN for NULL.
func (c *column) number(r int) float64 {
	x, err := strconv.ParseFloat(c.texts[r], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// family makes a table of random shape, for so many people.
type family struct {
	name string
	make func(r *rand.Rand, people int) *generated
}

// families are all of them.
var families = slices.Concat(plain, odd, strange)

var plain = []family{
	{"rare outcomes", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		a, b := .02+.5*r.Float64(), .02+.5*r.Float64()
		odds := [2][2]float64{}
		for i := range 4 { // 1 in 10 to 1 in 10,000
			odds[i/2][i%2] = math.Pow(10, -1-3*r.Float64())
		}
		x, y := make([]int, people), make([]int, people)
		for i := range people {
			x[i], y[i] = hit(r, a), hit(r, b)
		}
		g.add("x", list(2), people, func(i int) string { return "v" + strconv.Itoa(x[i]) })
		g.add("y", list(2), people, func(i int) string { return "v" + strconv.Itoa(y[i]) })
		g.add("out", "type: INT64, min: 0, max: 1", people, func(i int) string { return strconv.Itoa(hit(r, odds[x[i]][y[i]])) })
		return g
	}},
	{"categories", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		n, m, power := 2+r.IntN(12), 2+r.IntN(20), .3+r.Float64()
		first := make([]int, people)
		for i := range first {
			first[i] = int(float64(n) * math.Pow(r.Float64(), 1/power))
		}
		g.add("x", list(n), people, func(i int) string { return "v" + strconv.Itoa(min(first[i], n-1)) })
		g.add("y", list(m), people, func(i int) string {
			return "v" + strconv.Itoa(min(int(float64(m)*math.Pow(r.Float64(), 1+float64(first[i])/float64(n))), m-1))
		})
		g.add("z", "type: BOOL", people, func(int) string { return strconv.FormatBool(r.Float64() < .3) })
		return g
	}},
	{"diagonal", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		top, wide := 20+r.IntN(30), 3+r.IntN(8)
		low := make([]int, people)
		g.add("low", fmt.Sprintf("type: INT64, min: 0, max: %d", top-1), people, func(i int) string {
			low[i] = r.IntN(top)
			return strconv.Itoa(low[i])
		})
		g.add("high", fmt.Sprintf("type: INT64, min: 0, max: %d", top+wide), people, func(i int) string { return strconv.Itoa(low[i] + r.IntN(wide)) })
		return g
	}},
	{"functions", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		n := 3 + r.IntN(6)
		x, y := make([]int, people), make([]int, people)
		for i := range people {
			x[i], y[i] = r.IntN(n), r.IntN(4)
		}
		g.add("x", list(n), people, func(i int) string { return "v" + strconv.Itoa(x[i]) })
		g.add("y", list(4), people, func(i int) string { return "v" + strconv.Itoa(y[i]) })
		g.add("f", "type: NUMERIC, min: 0, max: 10, resolution: 0.25", people, func(i int) string {
			return strconv.FormatFloat(.25*float64((x[i]*7+y[i]*3)%41), 'f', -1, 64)
		})
		return g
	}},
	{"zeros and tails", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		zeros, tail := .5+.45*r.Float64(), .7+r.Float64()
		g.add("group", list(3), people, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		g.add("pay", "type: INT64, min: 0, max: 999", people, func(int) string {
			if r.Float64() < zeros {
				return "0"
			}
			return strconv.Itoa(min(999, int(math.Exp(tail*r.NormFloat64()+3))))
		})
		return g
	}},
	{"NULLs", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		parts := []float64{0, .01, .3, .9, .99}
		p, q := parts[r.IntN(5)], parts[r.IntN(5)]
		g.add("x", "type: INT64, min: -5, max: 4", people, func(int) string {
			if r.Float64() < p {
				return ""
			}
			return strconv.Itoa(r.IntN(10) - 5)
		})
		g.add("y", list(4), people, func(int) string {
			if r.Float64() < q {
				return ""
			}
			return "v" + strconv.Itoa(r.IntN(4))
		})
		return g
	}},
	{"one wild record, great numbers", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		base := int64(1)<<53 + r.Int64N(1<<60)
		g.add("batch", fmt.Sprintf("type: INT64, min: %d, max: %d", base, base+3), people, func(int) string { return strconv.FormatInt(base+r.Int64N(4), 10) })
		g.add("x", "type: INT64, min: 0, max: 99", people, func(i int) string {
			if i == 0 {
				return "123456789"
			}
			return strconv.Itoa(min(99, max(0, int(50+10*r.NormFloat64()))))
		})
		return g
	}},
	{"events", func(r *rand.Rand, people int) *generated {
		g := &generated{head: "events: {person: [sex], rows: {max: 6}}\n"}
		rows := g.draw(r, people)
		sex := make([]int, people)
		for p := range sex {
			sex[p] = r.IntN(2)
		}
		g.add("sex", list(2), rows, func(i int) string { return "v" + strconv.Itoa(sex[g.persons[i]]) })
		g.add("kind", list(5), rows, func(i int) string { return "v" + strconv.Itoa((sex[g.persons[i]]+r.IntN(4))%5) })
		g.add("cost", "type: INT64, min: 0, max: 9", rows, func(int) string { return strconv.Itoa(r.IntN(10)) })
		return g
	}},
}

// hit is 1 with probability p.
func hit(r *rand.Rand, p float64) int {
	if r.Float64() < p {
		return 1
	}
	return 0
}
