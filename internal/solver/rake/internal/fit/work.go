package fit

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Caps on populations, decided before anything is read. adult14 at ε = 1: with 150,000 records the total variation is 1.4 % higher
// for three quarters of the time.
const (
	usualPopulation = 300_000   // records of a sampled population …
	mostPopulation  = 1_000_000 // … of many units …
	recordsOfMany   = 2         // … for each of them …
	recordsOfFew    = 60        // … and for each of few, …
	recordsOfWide   = 6.2       // … of wideFrom columns, but leastRenewable
	wideFrom        = 40
	populationBytes = 256 << 20 // beyond usualPopulation
	TreeCells       = 5e5       // of the junction tree that it is drawn from
)

// Records returns the records of a sampled population for a public or released number of units. The noise of
// many units is so low that the chance of 150,000 records is what blurs their tables: with 1,000,000 in place of them the
// total variation of 5,000,000 people in 10 columns is less than half at ε = 1. A table that noise hides keeps all of that
// chance: with one record for a unit, worth a third of one by its weight, pairs of 300,000 flights err by .029 and triples
// by .072 at ε = 1, with two and renewals by .024 and .051; five other made-up tables of 300,000 gain 0 to 4 %. The noise
// of few units hides what records leave: from 2,000 in 7 to 23 columns it is within .5 % at ε ≤ 10 and 1.4 % at 100, with
// 120,000 or 300,000. In many columns the sweeps over so many records take most of a solve: of 5,000 people in 50 columns triples
// err by .158 in place of .159 with 31,000 records for 300,000, in a quarter of the time. Of ties and of near-deterministic pairs in
// few columns they err by 1 % more.
func Records(units float64, columns int) int {
	most := min(mostPopulation, populationBytes/float64(RecordBytes(columns)))
	each := float64(recordsOfFew)
	if columns >= wideFrom {
		each = recordsOfWide
	}
	few := max(leastRenewable, min(each*units, usualPopulation))
	return int(max(few, min(recordsOfMany*units, most)))
}

// RecordBytes is what a record of a sampled population takes: its codes, its weight and scratch.
func RecordBytes(columns int) int { return 2*columns + 24 }

// Renewals of the population could take most of a solve. They may take in proportion to the sweeps, whose work follows
// from public figures and the released total.
//
// Below effective they are renewed. With .3 throughout, fits of 100,000 flights ended by chance of the noise with weights
// worth .31 of their number, never renewed, or .86: their triples erred by .099 or .087. Of a year's real flights (336,776
// in 16 columns) pairs err by .041 and triples by .097 at ε = 1 with half of renewalCost and of renewalPart, when the
// weights end worth .1 of their number, and by .037 and .074 with these.
const (
	renewalPart    = 3      // of the time of the sweeps
	effective      = .6     // of their number that the weights are worth, in the first half of the sweeps …
	leastEffective = .3     // … and later
	leastRenewable = 30_000 // records, whatever renewals cost
	mostRenewed    = 32     // renewals of a fit
	renewalCost    = 2e11   // factors that mostRenewed may multiply if they draw all records
)

// Renewable returns the records of the sample of a tree whose renewals multiply so many factors a record: no more than can be
// renewed mostRenewed times at renewalCost. With 60 columns the tree is so far from the fit that 300,000 records, renewed three
// times, end worth a hundredth of their number, and one-ways forty times further off than their noise.
func Renewable(records int, factors float64) int {
	most := max(renewalCost/(mostRenewed*factors), leastRenewable)
	return int(min(most, float64(records)))
}

// What the parts of a fit take, in seconds: measured with whole runs and profiles at ε = .1 to 10.
const (
	Visit     = 2.4e-9 // for a record and pass, to find its cell, add its weight and multiply it
	innerCell = 1.6e-9 // for a cell of a cluster that is read and written
	factor    = 1.3e-9 // for a factor that a renewal multiplies: 1.3e-9 to 2e-9 on a busy machine
)

// SweepSeconds returns the seconds of so many sweeps over the tables of cliques, given the seconds
// of a pass over the population.
func SweepSeconds(sizes []int, cliques []domain.Clique, sweeps int, pass float64) float64 {
	passes, inside := population.Work(sizes, cliques)
	return float64(sweeps) * (innerCell*inside + pass*float64(passes))
}
