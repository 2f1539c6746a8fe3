package generate

import "math/rand/v2"

// visit is one row.
type visit struct {
	day        int // of the year, 0..365: 2024 was a leap year
	department string
	cost       string // with cents
	admitted   bool
}

// days is the number of days of 2024.
const days = 366

// departments, the last three too rare to have a category of their own in the domain file.
var departments = []string{
	"General practice", "Emergency", "Cardiology", "Orthopaedics", "Paediatrics", "Obstetrics",
	"Dermatology", "Eye clinic", "Oncology",
}

// Of each department: what a visit costs in cents, and how many of a thousand patients are admitted.
var (
	costs      = []int64{4500, 18000, 22000, 16000, 6000, 21000, 9000, 8000, 60000}
	admissions = []int{2, 220, 160, 120, 30, 260, 5, 15, 300}
)

func newVisit(r *rand.Rand, p *person, day int) visit {
	department := pick(r, departmentWeights(p, day))
	v := visit{day: day, department: departments[department]}
	admit := admissions[department]
	if p.years() >= 70 {
		admit += admit / 2
	}
	v.admitted = chance(r, admit)
	if !chance(r, 20) {
		v.cost = money(cost(r, p, department, v.admitted))
	}
	return v
}

// departmentWeights says where a person goes: age and sex matter much, the season a little.
func departmentWeights(p *person, day int) []int {
	years := p.years()
	w := []int{420, 130, 10 + years*years/25, 60 + 2*years, 0, 0, 25, 15 + years/4, 2 + years/3}
	if years < 16 {
		w[0], w[4] = 90, 700
	}
	if p.sex == "Female" && years >= 18 && years < 45 {
		w[5] = 240
	}
	if winter := day < 90 || day >= 330; winter {
		w[0] += w[0] / 5
	}
	if p.insurance == "none" {
		w[1] += 120
	}
	return w
}

func cost(r *rand.Rand, p *person, department int, admitted bool) int64 {
	cents := costs[department]
	if admitted {
		cents = 5*cents + 60000
	}
	if p.insurance == "private" {
		cents = cents * 13 / 10
	}
	return skewed(r, cents)
}
