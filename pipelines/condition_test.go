package pipelines

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/solver/population"
)

const clinicDomain = `columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: ward, type: STRING, values: [A and E, "2 = 3", Eye], null: true}
  - {name: age, type: INT64, edges: [0, 18, 65, 100], null: true}
  - {name: stars, type: INT64, min: 1, max: 5, fallback: 3}
  - {name: grade, type: INT64, values: [1, 2, 3], fallback: 1}
  - {name: income, type: NUMERIC, edges: [0, 15000, 250000], resolution: 100, fallback: 0}
  - {name: weight, type: FLOAT64, edges: [0, 0.5, 2], fallback: 0}
  - {name: day, type: DATE, min: 2024-01-01, max: 2024-12-31, step: quarter, null: true}
  - {name: smokes, type: BOOL, null: true}
`

func clinic(t testing.TB) *domain.Domain {
	t.Helper()
	f, err := schema.Parse("clinic.yaml", []byte(clinicDomain))
	if err != nil {
		t.Fatal(err)
	}
	return f.Domain
}

// kept writes which cells of a column are kept, such as "110".
func kept(c *Condition, column int, d *domain.Domain) string {
	var b strings.Builder
	for code := range d.Attributes[column].Size() {
		if k := c.keep[column]; k == nil || k[code] {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	return b.String()
}

func TestParseCondition(t *testing.T) {
	d := clinic(t)
	for _, tt := range []struct{ text, column, want string }{
		{"sex=Female", "sex", "100"},
		{"sex = 'Female'", "sex", "100"},
		{"sex != Female", "sex", "011"},
		{"sex=other", "sex", "001"},
		{"sex=Female AND sex=Male", "sex", "000"},
		{"ward='A and E'", "ward", "1000"},
		{`ward="A and E" and sex=Male`, "ward", "1000"},
		{`ward="A and E" and sex=Male`, "sex", "010"},
		{"ward='2 = 3'", "ward", "0100"},
		{"ward != Eye", "ward", "1100"},
		{"ward IS NULL", "ward", "0001"},
		{"ward is not null", "ward", "1110"},
		{"sex IS NULL", "sex", "000"},
		{"age>=65", "age", "0010"},
		{"age>64", "age", "0010"},
		{"age<65", "age", "1100"},
		{"age<=64", "age", "1100"},
		{"age<=100", "age", "1110"},
		{"age<101", "age", "1110"},
		{"age>100", "age", "0000"},
		{"age>=-3", "age", "1110"},
		{"age<0", "age", "0000"},
		{"age>=18 AND\tage<65", "age", "0100"},
		{"stars=3", "stars", "00100"},
		{"stars!=5", "stars", "11110"},
		{"stars>4", "stars", "00001"},
		{"grade=2", "grade", "010"},
		{"income>=15000", "income", "01"},
		{"income<15000.00", "income", "10"},
		{"income<=250000", "income", "11"},
		{"weight<0.5", "weight", "10"},
		{"weight>=0.5", "weight", "01"},
		{"weight<=2", "weight", "11"},
		{"day<2024-07-01", "day", "11000"},
		{"day>2024-06-30", "day", "00110"},
		{"day>=2024-04-01 AND day IS NOT NULL", "day", "01110"},
		{"smokes=true", "smokes", "010"},
	} {
		c, err := ParseCondition(tt.text, d)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		} else if got := kept(c, d.Index(tt.column), d); got != tt.want {
			t.Errorf("%s: keeps %s of %s, want %s", tt.text, got, tt.column, tt.want)
		}
	}
}

func TestParseConditionFaults(t *testing.T) {
	d := clinic(t)
	for _, tt := range []struct{ text, want string }{
		{"", `got ""; want a column`},
		{"sex", `got "sex"; want a column`},
		{"sex=Female AND", `got "sex=Female AND"`}, // the value would be "Female AND"
		{"height>3", `no column is called "height"; the columns are sex, ward, age`},
		{"sex=Femal", `column "sex": "Femal" is not among its values`},
		{"sex>Female", `column "sex": has categories, which have no order; want = or !=`},
		{"age>=64", `column "age": >= 64 cuts through the cell [18, 65); compare with one of its ends`},
		{"age>=100", `cuts through the cell [65, 100]`},
		{"age=20", "no cell holds 20 alone; compare with < and >="},
		{"age<old", `"old" is not of type INT64`},
		{"weight<heavy", `"heavy" is not a number`},
		{"weight<NaN", `"NaN" is not a number`},
		{"weight<=0.5", "<= 0.5 cuts through the cell [0.5, 2]"},
		{"day>=2024-02-01", "cuts through the cell"},
		{"day>=2024-02-31", "is not of type DATE"},
		{"income>15000", "> 15000 cuts through the cell"},
	} {
		_, err := ParseCondition(tt.text, d)
		if err == nil {
			t.Errorf("%q was accepted", tt.text)
		} else if tt.text != "sex=Female AND" && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// Restricting keeps the weight of the records that meet the condition, and no other; listed records or
// a whole universe.
func TestRestrict(t *testing.T) {
	d := clinic(t)
	c, err := ParseCondition("age>=65 AND sex!=other AND ward IS NOT NULL", d)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	listed := &population.Model{Sizes: d.Sizes(), Columns: make([][]domain.Code, d.Len()), Weights: make([]float64, 500)}
	for a, size := range listed.Sizes {
		listed.Columns[a] = make([]domain.Code, len(listed.Weights))
		for i := range listed.Columns[a] {
			listed.Columns[a][i] = domain.Code(rng.IntN(size))
		}
	}
	whole := &population.Model{Sizes: d.Sizes(), Weights: make([]float64, 3*4*4*5*3*2*2*5*3)}
	for _, m := range []*population.Model{listed, whole} {
		for i := range m.Weights {
			m.Weights[i] = 1 + rng.Float64()
		}
		r := c.Restrict(m)
		record, met := make([]domain.Code, d.Len()), 0
		for i, w := range m.Weights {
			m.Record(i, record)
			want := 0.0
			if record[2] == 2 && record[0] != 2 && record[1] != 3 {
				want, met = w, met+1
			}
			if r.Weights[i] != want {
				t.Fatalf("record %v: weight %g, want %g", record, r.Weights[i], want)
			}
		}
		if met == 0 || met == len(m.Weights) {
			t.Errorf("%d of %d records meet the condition", met, len(m.Weights))
		}
	}
}
