package generate

import "math/rand/v2"

// person is what does not change from visit to visit. Empty text is a missing cell.
type person struct {
	sex       string
	region    string
	insurance string
	born      int    // days before 2024-01-01
	noAge     bool   // the clinic does not know the age
	income    string // a year, with cents
}

var (
	regions       = []string{"North", "Centre", "South", "Islands", "Abroad", "Overseas"}
	regionWeights = []int{450, 300, 195, 40, 12, 3}
	// ageWeights are for decades of life, from 0–9 to 90–95.
	ageWeights = []int{115, 95, 120, 135, 140, 140, 115, 85, 45, 10}
)

func newPerson(r *rand.Rand) person {
	p := person{sex: newSex(r), region: regions[pick(r, regionWeights)]}
	decade := pick(r, ageWeights)
	length := 10
	if decade == len(ageWeights)-1 {
		length = 5
	}
	p.born = 365*(10*decade+r.IntN(length)) + r.IntN(365)
	p.noAge = chance(r, 1)
	cents := income(r, &p)
	p.insurance = newInsurance(r, &p, cents)
	if p.years() >= 18 && !chance(r, 80) {
		p.income = money(cents)
	}
	return p
}

// years is the age at the beginning of 2024.
func (p *person) years() int { return p.born / 365 }

func newSex(r *rand.Rand) string {
	return []string{"Female", "Male", "", "X"}[pick(r, []int{505, 460, 30, 5})]
}

// income returns cents a year: highest in the fifties, skewed to the right, a little higher in the
// North and for men.
func income(r *rand.Rand, p *person) int64 {
	years := int64(p.years())
	euros := 12000 + 550*min(years, 54) - 500*max(0, years-62)
	if p.region == "North" {
		euros += 2500
	}
	if p.sex == "Male" {
		euros += 2000
	}
	return skewed(r, 100*euros)
}

// newInsurance: the higher the income, the more often private; the young and poor often have none.
func newInsurance(r *rand.Rand, p *person, cents int64) string {
	private := 40 + int(min(cents/10000, 600))
	none := 15
	if years := p.years(); years >= 18 && years < 40 && cents < 2500000 {
		none = 140
	}
	return []string{"private", "none", "", "public"}[pick(r, []int{private, none, 2, 1000 - private - none - 2})]
}

// visits returns the number of visits: 1 to 20, more with age.
func (p *person) visits(r *rand.Rand) int {
	n := 1
	for n < 20 && chance(r, 690+2*p.years()) {
		n++
	}
	return n
}
