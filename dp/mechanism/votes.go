package mechanism

import (
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/internal/noise"
	"github.com/dapple-dp/dapple/dp/query"
)

// votes releases how many records vote for each candidate, if a record votes for the choice of its cell in the universe.
// Each record has one vote, so that the counts change as those of a marginal do: Δ² = Δ₁ = 1 under AddRemove, 2 under
// Replace, whatever the choices are.
func (g *gate) votes(r Request) (plan, error) {
	all := g.universe()
	if r.Candidates < 1 || len(r.Choice) != g.cells(all) {
		panic("mechanism: votes without candidates, or as many choices as the universe has cells are needed")
	}
	for _, c := range r.Choice {
		if c < 0 || int(c) >= r.Candidates {
			panic("mechanism: a vote for no candidate")
		}
	}
	event, err := g.ledger.Measure(accountant.Equal(1, int64(r.Candidates)), r.Share)
	if err != nil {
		return plan{}, err
	}
	sampler, err := samplerFor(event, 0)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		counts := ballots(r.Choice, r.Candidates, g.marginal(all))
		in := noise.NewInputs().Text(string(r.Method)).Int64(int64(event.GridBits))
		addChoice(in, r.Choice)
		src := g.open(r.Stage, r.Round, in.Int64s(counts).Rat(event.Scales[0]).Sum())
		return Release{Measurements: []query.Measurement{{
			Clique: all, Values: g.noisy(counts, sampler, src, event.GridBits), Variance: event.Variance(0),
		}}}
	}}, nil
}

// universe returns the clique of all attributes.
func (g *gate) universe() domain.Clique { return domain.All(len(g.sizes)) }

// ballots adds up the counts of the cells by their choice.
func ballots(choice []int32, candidates int, counts []int64) []int64 {
	sums := make([]int64, candidates)
	for z, n := range counts {
		sums[choice[z]] += n
	}
	return sums
}

func addChoice(in *noise.Inputs, choice []int32) {
	ints := make([]int64, len(choice))
	for i, c := range choice {
		ints[i] = int64(c)
	}
	in.Int64s(ints)
}
