package rivals

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// TestScanFindsTheBest: on random weights no possible record has a larger sum than the one that the scan finds, ascent
// included; and the scan takes each of several best ones.
func TestScanFindsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	sizes := []int{3, 2, 4, 3}
	w := query.AllMarginals(sizes, 2, 100).Maximal()
	never := domain.Exclusions{{Clique: domain.Clique{0, 2}, Codes: [][]domain.Code{{1}, {0, 3}}}}
	p := solvertest.Problem(solvertest.NewTable(sizes...), 2, 0, 1, false)
	s := &session{setup: &setup{Problem: solver.Problem{Domain: p.Domain}, workload: w, never: never}, rng: rng}
	scan, climb := s.responder(), s.maximiser()
	if _, ok := scan.(*scanner); !ok {
		t.Fatal("a small universe is not scanned")
	}
	for range 200 {
		scan.forget()
		climb.forget()
		for range 30 {
			i := rng.IntN(len(w.Marginals))
			n, _ := w.Marginals[i].Clique.Cells(sizes)
			c, x := query.Cell{Marginal: i, Cell: rng.IntN(int(n))}, float64(1-2*rng.IntN(2))
			scan.want(c, x)
			climb.want(c, x)
		}
		sum := func(record []domain.Code) (sum float64) {
			for i, c := range w.Cliques() {
				sum += climb.weights[i][c.Cell(sizes, record)]
			}
			return sum
		}
		most := math.Inf(-1)
		for z := range 72 {
			if r := recordOf(sizes, z); climb.support.Possible(r) {
				most = max(most, sum(r))
			}
		}
		found := scan.best(nil)
		if !climb.support.Possible(found) || sum(found) != most || sum(climb.best(nil)) > most {
			t.Fatalf("found %v with %g, the most is %g", found, sum(found), most)
		}
	}
	scan.forget()
	seen := map[[4]domain.Code]int{}
	for range 4000 {
		seen[[4]domain.Code(scan.best(nil))]++
	}
	if want := 72 - 2*2*3; len(seen) != want { // each is missed with probability below exp(−66)
		t.Errorf("%d of %d equal records were taken", len(seen), want)
	}
}

func recordOf(sizes []int, z int) []domain.Code {
	r := make([]domain.Code, len(sizes))
	for a := len(sizes) - 1; a >= 0; a-- {
		r[a], z = domain.Code(z%sizes[a]), z/sizes[a]
	}
	return r
}
