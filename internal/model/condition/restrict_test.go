package condition

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const clinicDomain = `privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: ward, type: STRING, values: [A and E, "2 = 3", Eye], null: true}
  - {name: age, type: INT64, edges: [0, 18, 65, 100], null: true}
  - {name: stars, type: INT64, min: 1, max: 5, fallback: 3}
  - {name: grade, type: INT64, values: [1, 2, 3], fallback: 1}
  - {name: income, type: NUMERIC, edges: [0, 15000, 250000], resolution: 100, fallback: 0}
  - {name: weight, type: FLOAT64, edges: [0, 0.5, 2], fallback: 0}
  - {name: day, type: DATE, min: 2024-01-01, max: 2024-12-31, step: quarter, null: true}
  - {name: smokes, type: BOOL, null: true}
  - {name: price, type: NUMERIC, min: 0.99, max: 503, resolution: 5, exact: [0.99, 9.99, 17, 502.5], null: true}
  - {name: rate, type: FLOAT64, min: 0, max: 9, resolution: 0.1, exact: [0.04, 0.33, 0.38, 8.96], fallback: 0}
`

func clinic(t testing.TB) *domain.Domain {
	t.Helper()
	f := must.Value(schema.Parse("clinic.yaml", []byte(clinicDomain)))(t)
	return f.Domain.EqualBins()
}

func TestConditionFaults(t *testing.T) {
	d := clinic(t)
	for _, tt := range []struct{ text, want string }{
		{"", "character 1: got the end; want a column"},
		{"sex", "character 4: got the end; want one of = != < <= > >=, IN, BETWEEN, IS NULL behind the column \"sex\""},
		{"sex=Female AND", "character 15: got the end; want a column"},
		{"sex=Female Male", `character 12: got "Male"; want AND, OR or the end; a value of several words stands in quotes`},
		{"age>3 and height>3", `character 11: no column is called "height"; the columns are sex, ward, age`},
		{"sex=Femal", `column "sex": "Femal" is not among its values; did you mean "Female"?`},
		{"sex>Female", `column "sex": has categories, which have no order; want =, != or IN`},
		{"sex BETWEEN a AND b", "which have no order"},
		{"age<age", `column "age": "age" is a column; conditions compare a column with values`},
		{"sex=ward", `column "sex": "ward" is a column`},
		{"age<old", `"old" is not of type INT64`},
		{"age BETWEEN 3", "character 14: got the end; want AND and the upper end of BETWEEN"},
		{"age IN 3", `character 8: got "3"; want values in parentheses`},
		{"age IN (3, ", "got the end; want a value"},
		{"age IN (3 4)", `got "4"; want a comma or a closing parenthesis`},
		{"(age > 3", "got the end; want AND, OR or a closing parenthesis"},
		{"age > 3)", `character 8: got ")"; want AND, OR or the end`},
		{"age = NULL", "no comparison with NULL is met; write IS NULL"},
		{"age IS 3", `got "3"; want NULL`},
		{"age NOT 3", `character 9: got "3"; want one of`},
		{"sex = 'Female", "character 7: the quote is not closed"},
		{"age ! 3", `character 5: got "!"`},
		{strings.Repeat("(", 200), "more than 100 levels"},
		{"weight<heavy", `"heavy" is not a number`},
		{"weight<NaN", `"NaN" is not a number`},
		{"weight=0.5", "no single value such as 0.5 can be told from its neighbours in a FLOAT64 without a resolution; compare with < and >="},
		{"day>=2024-02-31", "is not of type DATE"},
	} {
		_, err := relation.ParseCondition(tt.text, d)
		if err == nil {
			t.Errorf("%q was accepted", tt.text)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// No cell of a model holds a column that a gap stands for: a condition on it says which columns it can be on instead.
func TestConditionOnAColumnInOrder(t *testing.T) {
	f := must.Value(schema.Parse("stays.yaml", []byte(`privacy_id: none
columns:
  - {name: start, type: DATE, min: 2024-01-01, max: 2024-12-31, fallback: 2024-01-01}
  - {name: end, type: DATE, min: 2024-01-01, max: 2024-12-31, fallback: 2024-01-01}
constraints:
  - {order: [start, end]}
`)))(t)
	_, err := relation.ParseCondition("end > 2024-03-01", f.Domain)
	for _, want := range []string{`column "end" is computed from start and gap_end`, "put the condition on those", "gaps: false"} {
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), "%v, want %q", err, want)
	}
}

// randomModel is a model of random weights over random records.
func randomModel(d *domain.Domain, rng *rand.Rand) *population.Model {
	m := &population.Model{Sizes: d.Sizes(), Columns: make([][]domain.Code, d.Len()), Weights: make([]float64, 300)}
	for a, size := range m.Sizes {
		m.Columns[a] = make([]domain.Code, len(m.Weights))
		for i := range m.Columns[a] {
			m.Columns[a][i] = domain.Code(rng.IntN(size))
		}
	}
	for i := range m.Weights {
		m.Weights[i] = 1 + rng.Float64()
	}
	return m
}

// row is a decoded row as text; NULL is absent.
type row map[string]string

// drawnRows decodes one row of each record of a model.
func drawnRows(d *domain.Domain, m *population.Model, rng *rand.Rand) []row {
	codes := make([]domain.Code, 0, len(m.Weights)*d.Len())
	record := make([]domain.Code, d.Len())
	for i, w := range m.Weights {
		if w > 0 {
			m.Record(i, record)
			codes = append(codes, record...)
		}
	}
	c := &domain.Chunk{}
	domain.NewDecoder(d).Decode(c, codes, func(int, int) uint64 { return rng.Uint64() })
	out := make([]row, c.Rows)
	for i := range out {
		out[i] = row{}
		for a := range d.Attributes {
			col, attr := &c.Columns[a], &d.Attributes[a]
			switch {
			case col.Null(i):
			case col.Form == domain.Dictionary:
				out[i][attr.Name] = col.Dict[col.Ints[i]]
			case col.Form == domain.Floats:
				out[i][attr.Name] = string(domain.AppendFloat(nil, col.Floats[i]))
			case attr.Type == domain.Bool:
				out[i][attr.Name] = strconv.FormatBool(col.Ints[i] != 0)
			default:
				out[i][attr.Name] = string(attr.AppendNative(nil, col.Ints[i]))
			}
		}
	}
	return out
}

// compared is what SQL says of a comparison: 0 no, 1 unknown, 2 yes.
func compared(r row, column, op, value string) int {
	got, ok := r[column]
	if !ok {
		return 1
	}
	c := strings.Compare(got, value) // dates as text
	if x, err := strconv.ParseFloat(got, 64); err == nil {
		y, _ := strconv.ParseFloat(value, 64)
		c = cmp.Compare(x, y)
	}
	met := map[string]bool{"=": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0}[op]
	if met {
		return 2
	}
	return 0
}

// randomTerm returns a condition, and what SQL says of it.
func randomTerm(rng *rand.Rand, depth int) (string, func(row) int) {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	op := pick("=", "!=", "<", "<=", ">", ">=")
	switch kind := rng.IntN(11); {
	case depth > 0 && kind < 2:
		a, f := randomTerm(rng, depth-1)
		b, g := randomTerm(rng, depth-1)
		if kind == 0 {
			return "(" + a + " AND " + b + ")", func(r row) int { return min(f(r), g(r)) }
		}
		return "(" + a + " or " + b + ")", func(r row) int { return max(f(r), g(r)) }
	case depth > 0 && kind == 2:
		a, f := randomTerm(rng, depth-1)
		return "NOT (" + a + ")", func(r row) int { return 2 - f(r) }
	case kind == 3:
		v, w := pick("Female", "Male", "other"), pick("Female", "Male")
		return fmt.Sprintf("sex NOT IN ('%s', %s)", v, w), func(r row) int { return 2 - max(compared(r, "sex", "=", v), compared(r, "sex", "=", w)) }
	case kind == 4:
		lo, hi := strconv.Itoa(rng.IntN(60)), strconv.Itoa(rng.IntN(120))
		return "age BETWEEN " + lo + " AND " + hi, func(r row) int { return min(compared(r, "age", ">=", lo), compared(r, "age", "<=", hi)) }
	case kind == 5:
		return "day IS NOT NULL", func(r row) int {
			if _, ok := r["day"]; ok {
				return 2
			}
			return 0
		}
	case kind == 6:
		v := fmt.Sprintf("2024-%02d-%02d", 1+rng.IntN(12), 1+rng.IntN(28))
		return "day" + op + v, func(r row) int { return compared(r, "day", op, v) }
	case kind == 7:
		column, v := pick("income", "grade", "age"), pick("2", "2.5", "15000", "60100", "33.01", "-1e3", "100", "1e30")
		return column + " " + op + " " + v, func(r row) int { return compared(r, column, op, v) }
	case kind == 8: // exact values, and the multiples of the resolution that they take the place of
		v := pick("0.99", "1", "5", "9.99", "10", "10.01", "15", "16", "17", "18", "499", "500", "502.5", "503", "700")
		return "price" + op + v, func(r row) int { return compared(r, "price", op, v) }
	case kind == 9:
		v := pick("0", "0.04", "0.3", "0.33", "0.35", "0.38", "0.4", "0.5", "8.96", "9")
		return "rate" + op + v, func(r row) int { return compared(r, "rate", op, v) }
	}
	op, v := pick("<", "<=", ">", ">="), pick("0.3", "0.5", "1.99", "2", "7")
	return "weight" + op + v, func(r row) int { return compared(r, "weight", op, v) }
}

// Whatever the condition, every row of what is left of a model meets it, as SQL has it, and the share that is left is
// the share among rows which meet it: five standard deviations, a false alarm in 1e6 for each of 300 conditions.
func TestRowsMeetTheCondition(t *testing.T) {
	d := clinic(t)
	rng := rand.New(rand.NewPCG(1, 2))
	m := randomModel(d, rng)
	var all []row
	for range 10 {
		all = append(all, drawnRows(d, m, rng)...)
	}
	cut := 0
	for range 300 {
		text, want := randomTerm(rng, 3)
		c, err := relation.ParseCondition(text, d)
		must.Need(t, err == nil, "%s: %v", text, err)
		left, err := Restrict(c, d, m)
		must.Need(t, err == nil, "%s: %v", text, err)
		err = left.Domain.Validate()
		must.Need(t, err == nil, "%s: %v", text, err)
		for _, r := range drawnRows(left.Domain, left.Model, rng) {
			must.Need(t, want(r) == 2, "%s: %v does not meet it", text, r)
		}
		if left.Model.Columns[0] != nil && len(left.Model.Sizes) > 0 && !slices.Equal(left.Model.Sizes, m.Sizes) {
			cut++
		}
		met, sum := 0.0, 0.0
		for i, r := range all {
			w := m.Weights[i%len(m.Weights)]
			if sum += w; want(r) == 2 {
				met += w
			}
		}
		got, se := met/sum, 5*0.55/math.Sqrt(float64(len(all)))
		must.Hold(t, math.Abs(got-left.Share) <= se, "%s: a share of %.3f is left, of rows %.3f meet it", text, left.Share, got)
	}
	must.Hold(t, cut >= 50, "%d conditions cut cells: too few", cut)
}

// A whole universe and its records listed give the same.
func TestRestrictUniverse(t *testing.T) {
	d := clinic(t)
	d.Attributes = d.Attributes[:3]
	rng := rand.New(rand.NewPCG(3, 4))
	whole := &population.Model{Sizes: d.Sizes(), Weights: make([]float64, 3*4*4)}
	for i := range whole.Weights {
		whole.Weights[i] = rng.Float64()
	}
	for text, coupled := range map[string]bool{"age >= 30 AND sex = Male": false, "age >= 65 OR sex = Male": true, "NOT (sex = Male) AND ward IS NULL": false} {
		c := must.Value(relation.ParseCondition(text, d))(t)
		left, err := Restrict(c, d, whole)
		must.Hold(t, err == nil && left.Coupled == coupled && left.Share > 0 && left.Share < 1, "%s: %+v, %v", text, left, err)
		must.Pass(t, left.Model.Validate(), "%s", text)
	}
}

// Exact values are compared, and written, as they are: the values below are all that the column has there.
func TestConditionOnExactValues(t *testing.T) {
	d := clinic(t)
	m := randomModel(d, rand.New(rand.NewPCG(5, 6)))
	for text, want := range map[string][]string{
		"price = 9.99":              {"9.99"},
		"price = 10":                nil,
		"price < 10":                {"0.99", "9.99"},
		"price > 9.99 AND price<20": {"17"},
		"price BETWEEN 15 AND 20":   {"17", "20"},
		"price >= 490":              {"490", "495", "502.5"},
		"rate < 0.1":                {"0.04"},
		"rate = 0.33":               {"0.33"},
		"rate > 0.3 AND rate <= .4": {"0.33", "0.38"},
		"rate = 0.3":                nil,
		"rate > 8.9":                {"8.96"},
	} {
		c := must.Value(relation.ParseCondition(text, d))(t)
		left := must.Value(Restrict(c, d, m))(t)
		rng, got := rand.New(rand.NewPCG(7, 8)), map[string]bool{}
		for range 30 {
			for _, r := range drawnRows(left.Domain, left.Model, rng) {
				got[r[text[:strings.Index(text, " ")]]] = true
			}
		}
		must.List(t, slices.Sorted(maps.Keys(got)), want, "%s", text)
	}
}
