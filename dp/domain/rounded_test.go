package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRounding: a number has the cell of the multiple that is written in its place, whether bins are still to be learned, or
// were, or each multiple is a cell. Times have the earlier one.
func TestRounding(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 47))
		n, resolution, least := 2+r.IntN(60), 1+r.Int64N(60), r.Int64N(200)-100
		a := Attribute{Name: "a", Type: []Type{Int64, Numeric, Float64, Time}[seed%4], Resolution: resolution, Learned: n, Null: true}
		switch a.Type {
		case Numeric:
			a.Scale = 2
		case Time:
			least = max(least, 0)
		case Float64:
			a.Resolution, a.FloatResolution = 0, float64(resolution)/8
			a.FloatCuts = []float64{float64(least*resolution) / 8, float64((least+int64(n)-1)*resolution) / 8}
		}
		if a.Type != Float64 {
			a.Cuts = []int64{least * resolution, (least + int64(n) - 1) * resolution}
		}
		each := LearnedBins{}
		for k := range n {
			each.Starts = append(each.Starts, k)
		}
		fine := &Domain{Attributes: []Attribute{a}}
		cells := must.Value(fine.WithBins([]LearnedBins{each}))(t)
		some := LearnedBins{Starts: []int{0}, Runs: []Run{{0, 1}}}
		for k := 1; k < n; k += 1 + r.IntN(3) {
			some.Starts = append(some.Starts, k)
		}
		fewer := a
		fewer.Learned = len(some.Starts)
		bins := must.Value((&Domain{Attributes: []Attribute{fewer}}).WithBins([]LearnedBins{some}))(t)
		of := []*Encoder{NewEncoder(fine), NewEncoder(cells), NewEncoder(bins)}
		for range 200 {
			v := (float64(least) - 2 + float64(n+4)*r.Float64()) * float64(resolution)
			text := ""
			switch a.Type {
			case Int64:
				text = fmt.Sprint(int64(v))
			case Numeric:
				text = fmt.Sprintf("%.4f", v/100)
			case Float64:
				text = fmt.Sprint(math.Round(8*v) / 64)
			default:
				text = fmt.Sprintf("00:00:00.%06d", max(0, int64(v)))
			}
			want, _ := of[0].FromString(0, text)
			got, _ := of[1].FromString(0, text)
			must.Equal(t, got, want, "seed %d: %s %s of cells", seed, a.Type, text)
			got, _ = of[2].FromString(0, text)
			must.Equal(t, got, Code(sort.SearchInts(some.Starts, int(want)+1)-1), "seed %d: %s %s of bins %v", seed, a.Type, text, some.Starts)
		}
	}
}
