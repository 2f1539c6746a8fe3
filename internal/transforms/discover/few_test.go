package discover

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestKindsOfFew: where noise on a cell is a fifth of the people, columns of each kind among others have their type, but 1 of 20, and none is
// taken for texts more often. Over 1,000 columns of a kind the standard deviation is below .007; the noise is fixed.
func TestKindsOfFew(t *testing.T) {
	const people, columns, rounds = 600, 60, 20
	kinds := []struct {
		name  string
		types []domain.Type
		cells []int // of all people, in equal parts
	}{
		{"whole", []domain.Type{domain.Int64}, []int{wholeCell}}, {"decimals", []domain.Type{domain.Int64}, []int{decimalCell}},
		{"numbers", []domain.Type{domain.Int64}, []int{wholeCell, decimalCell}}, {"days", []domain.Type{domain.Date}, []int{dateCell}},
		{"times", []domain.Type{domain.Date, domain.DateTime}, []int{stampCell}}, {"texts", []domain.Type{domain.String}, []int{textCell}},
	}
	rng, wrong := rand.New(rand.NewPCG(21, 8)), make([]int, len(kinds))
	for range rounds {
		drawn := map[int]noisy{}
		for i := range columns {
			k := blurred(rng, noisy{make([]float64, kindCells), people / 5})
			own := kinds[i%len(kinds)].cells
			for _, cell := range own {
				k.cells[cell] += people / float64(len(own))
			}
			drawn[i] = k
		}
		units := unitsOf(drawn)
		for i := range columns {
			f, kind := FoundColumn{}, kinds[i%len(kinds)]
			f.kinds(Column{Untyped: true}, drawn[i].settled(units), units, columns)
			if f.Left != "" || !slices.Contains(kind.types, f.Type) {
				wrong[i%len(kinds)]++
			}
		}
	}
	for i, kind := range kinds {
		must.Hold(t, wrong[i] <= rounds*columns/len(kinds)/10, "%s: %d of %d columns have another type", kind.name, wrong[i], rounds*columns/len(kinds))
	}
}

// TestRangesOfFew: of few people, ranges leave out a twentieth of the numbers at most, in the mean of 300 findings, also where most people have no
// number, and where noise hides what lies between the values and those far above. The noise is fixed, so that the test never fails by chance.
func TestRangesOfFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 12))
	const runs = 300
	for _, test := range []struct {
		name          string
		units, people int // who have a number
		sigma         float64
		draw          func() float64
	}{
		{"scores", 1400, 1400, 36, func() float64 { return math.Floor(11 * math.Sqrt(rng.Float64())) }},
		{"losses", 1400, 1400, 36, func() float64 { return -math.Floor(11 * math.Sqrt(rng.Float64())) }},
		{"parts", 1400, 1400, 36, func() float64 { return math.Sqrt(rng.Float64()) }},
		{"changes", 450, 450, 15, func() float64 { return 1000 * rng.NormFloat64() }},
		{"cases of some", 7200, 1000, 25, func() float64 { return math.Floor(math.Exp2(14 * rng.Float64())) }},
		{"ages of some", 7200, 1000, 20, func() float64 { return 30 + math.Floor(60*rng.Float64()) }},
		{"amounts", 2000, 2000, 30, func() float64 { return math.Floor(math.Exp(8 + 1.5*rng.NormFloat64())) }},
	} {
		lost := 0.
		for range runs {
			values := make([]float64, test.people)
			n := figures{sizes: noisy{make([]float64, magnitudeCells), test.sigma}, details: noisy{make([]float64, detailCells), test.sigma * math.Sqrt(float64(rangeWeight)/detailWeight)}}
			for i := range values {
				values[i] = test.draw()
				n.sizes.cells[magnitude(values[i])]++
				n.details.cells[detail(values[i])]++
			}
			n.sizes.cells[magnitudeCells-1] = float64(test.units - test.people)
			blurred(rng, n.sizes)
			blurred(rng, n.details)
			f := FoundColumn{Type: domain.Float64}
			f.number(Column{Type: domain.Float64}, float64(test.units), n)
			if f.Left != "" {
				lost++
				continue
			}
			low, high, out := parsed(f.Min), parsed(f.Max), 0
			for _, x := range values {
				if x < math.Floor(low) || x > high+1 {
					out++
				}
			}
			lost += float64(out) / float64(test.people)
		}
		must.Hold(t, lost/runs <= .05, "%s: ranges leave out %.3f of the values", test.name, lost/runs)
	}
}

// TestShareOfWideTables: the part of the budget that finds a domain grows with its columns, from a tenth to three tenths, and the number of
// columns that would do for so many people is counted with the part that they have.
func TestShareOfWideTables(t *testing.T) {
	before := DefaultShare(1)
	must.Equal(t, before.Float(), .1, "one column")
	for n := 2; n < 200; n++ {
		s := DefaultShare(n)
		must.Hold(t, s.Float() >= before.Float() && s.Float() <= .3 && s.Float() <= before.Float()+.005+1e-9, "%d columns have %v", n, s)
		before = s
	}
	for _, people := range []float64{3000, 4500, 6000} {
		enough := func(columns int) bool {
			p := params("", make([]string, columns)...)
			p.Share = DefaultShare(columns)
			o := must.Value(p.Outlook())(t)
			ok, _ := o.Enough(people)
			return ok
		}
		p := params("", make([]string, 80)...)
		p.Share = DefaultShare(80)
		_, columns := p.WouldDo(people)
		must.Hold(t, columns > 0 && columns < 80 && enough(columns) && !enough(columns+1), "%.0f people: %d columns would do", people, columns)
	}
}
