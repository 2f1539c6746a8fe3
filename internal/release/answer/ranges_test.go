package answer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestBeyondRanges: where values beyond a range are expected, a count says that they are among its people if a condition holds of the end
// that they have become, and not of them. Conditions are generated.
func TestBeyondRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 12))
	for _, a := range []domain.Attribute{
		{Type: domain.Int64, Cuts: domain.EqualCuts(3, 12, 10), Resolution: 1},
		{Type: domain.Int64, Cuts: []int64{3, 6, 9, 12}, Resolution: 1},
		{Type: domain.Float64, FloatCuts: []float64{3, 7.5, 12}, FloatResolution: .5},
		{Type: domain.Numeric, Scale: 2, Cuts: []int64{300, 600, 1200}, Resolution: 1},
	} {
		a.Name, a.Beyond, a.Null = "x", [2]bool{true, true}, true
		release := unexplained(t, &domain.Domain{Attributes: []domain.Attribute{a, {Name: "g", Type: domain.String, Values: []string{"a", "b"}, HasFallback: true}}}, 25)
		said := func(sql string) string { return ask(t, release, sql)[0].Range }
		for range 300 {
			text, meets := clause(r, 2)
			got := ""
			if meets(3) || meets(12) {
				got = said("SELECT COUNT(*) FROM rows WHERE " + text)
			}
			must.Hold(t, !(meets(3) && !meets(-20)) || strings.Contains(got, "below 3"), "%v WHERE %s: %q, and values below 3 count otherwise", a.Type, text, got)
			must.Hold(t, !(meets(12) && !meets(90)) || strings.Contains(got, "above 12"), "%v WHERE %s: %q, and values above 12 count otherwise", a.Type, text, got)
		}
		must.Equal(t, said("SELECT COUNT(*) FROM rows WHERE x >= 9"), "")
		must.Equal(t, said("SELECT COUNT(*) FROM rows WHERE x < 9"), "")
		must.Equal(t, said("SELECT COUNT(*) FROM rows WHERE x > 6 AND x < 9"), "")
		must.Equal(t, said("SELECT COUNT(*) FROM rows WHERE x IS NOT NULL"), "")
		must.Equal(t, said("SELECT AVG(x) FROM rows"), "of values from 3 to 12")
		must.Equal(t, said("SELECT SHARE(x BETWEEN 9 AND 12) FROM rows"), "with values of x above 12")
		list := ask(t, release, "SELECT x, COUNT(*) FROM rows GROUP BY x")
		for i, answer := range list {
			want := map[int]string{0: "with values of x below 3", len(list) - 2: "with values of x above 12"}[i]
			must.Equal(t, answer.Range, want)
		}
	}
}

// TestLostNULLs: where NULLs that noise hid have become the fallback of a column that was found, each answer on the column says so whose people
// it is among, and no other. Conditions are generated.
func TestLostNULLs(t *testing.T) {
	r, a := rand.New(rand.NewPCG(1, 13)), domain.Attribute{Name: "x", Type: domain.Int64, Cuts: domain.EqualCuts(3, 12, 10), Resolution: 1}
	a.Beyond, a.HasFallback, a.Fallback = [2]bool{true, false}, true, 4
	release := unexplained(t, &domain.Domain{Attributes: []domain.Attribute{a, {Name: "g", Type: domain.String, Values: []string{"a", "b"}, HasFallback: true}}}, 25)
	for range 100 {
		text, meets := clause(r, 2)
		for _, of := range []string{"COUNT(*)", "SUM(x)", "AVG(x)", "MEDIAN(x)", "STDDEV(x)"} {
			if answer, ok := seen(t, release, "SELECT "+of+" FROM rows WHERE "+text); ok {
				must.Equal(t, strings.HasSuffix(answer.Range, "that cannot be used"), meets(7))
			}
		}
	}
}

// clause makes a condition on x of so many levels, and the function that it is.
func clause(r *rand.Rand, levels int) (text string, meets func(x float64) bool) {
	if levels > 0 {
		left, one := clause(r, levels-1)
		right, other := clause(r, levels-1)
		switch r.IntN(4) {
		case 0:
			return "(" + left + " OR " + right + ")", func(x float64) bool { return one(x) || other(x) }
		case 1:
			return "(" + left + " AND " + right + ")", func(x float64) bool { return one(x) && other(x) }
		case 2:
			return "NOT (" + left + ")", func(x float64) bool { return !one(x) }
		}
		return left, one
	}
	low, high := float64(r.IntN(15)), float64(r.IntN(15))
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("x >= %g", low), func(x float64) bool { return x >= low }
	case 1:
		return fmt.Sprintf("x < %g", low), func(x float64) bool { return x < low }
	case 2:
		return fmt.Sprintf("x != %g", low), func(x float64) bool { return x != low }
	case 3:
		return fmt.Sprintf("x IN (%g, %g)", low, high), func(x float64) bool { return x == low || x == high }
	}
	return fmt.Sprintf("x BETWEEN %g AND %g", low, high), func(x float64) bool { return low <= x && x <= high }
}

// TestMostRows: answers on rows say of how many rows a person they are, if more are expected, or far more people have the most than nearly so
// many; answers on people do not. Numbers of rows are generated.
func TestMostRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 12))
	for range 40 {
		most, beyond := 2+r.Int64N(300), r.IntN(2) == 0
		d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: domain.EqualCuts(3, 12, 10), Resolution: 1, Null: true}}}
		d = must.Value(d.WithEvents(nil, nil, domain.EqualRatioCuts(most), most))(t)
		d.Attributes[1].Beyond[1] = beyond
		release := unexplained(t, d, 25)
		bins := d.Attributes[1].Bins()
		for i := range release.Model.Weights { // as many of each number of rows, but for the most
			release.Model.Weights[i] = float64(d.Attributes[1].Cuts[i%bins+1] - d.Attributes[1].Cuts[i%bins])
			if i%bins == bins-1 {
				release.Model.Weights[i] = map[bool]float64{true: 1e-9, false: 9 + float64(most)}[beyond]
			}
		}
		said := fmt.Sprintf("of at most %d rows a person", most)
		for _, sql := range []string{"COUNT(*)", "SHARE(x > 6)", "SUM(x)", "AVG(x)", "STDDEV(x)", "QUANTILE(x, 0.3)", "SUM(x)/COUNT(*)"} {
			must.Equal(t, ask(t, release, "SELECT "+sql+" FROM rows")[0].Range, said)
			must.Equal(t, ask(t, release, "SELECT "+sql+" FROM rows WHERE x < 9")[0].Range, said)
		}
		must.Equal(t, ask(t, release, "SELECT COUNT(*) FROM people")[0].Range, "")
		must.Equal(t, ask(t, release, "SELECT COUNT(*) FROM people WHERE rows_per_person = 1")[0].Range, "")
	}
}

// TestQuantilesInTheLastBin: values beyond a range are spread over its last bin, so that a quantile there says of which values it is, and
// one in the middle does not. Bins are learned: of others an interval reaches to the ends.
func TestQuantilesInTheLastBin(t *testing.T) {
	for _, a := range []domain.Attribute{
		{Type: domain.Int64, Cuts: []int64{0, 1023}, Resolution: 1},
		{Type: domain.Numeric, Scale: 3, Cuts: []int64{0, 1023_999}, Resolution: 1},
		{Type: domain.Float64, FloatCuts: []float64{0, 1023.5}, FloatResolution: .5},
	} {
		a.Name, a.Learned, a.Null, a.Beyond = "x", 10, true, [2]bool{true, true}
		b := domain.LearnedBins{}
		for k := range 10 {
			from := a.Fine() * k / 10
			b.Starts, b.Runs = append(b.Starts, from), append(b.Runs, domain.Run{From: from, Share: .1})
		}
		release := unexplained(t, must.Value((&domain.Domain{Attributes: []domain.Attribute{a}}).WithBins([]domain.LearnedBins{b}))(t), 25)
		for level, said := range map[float64]bool{.03: true, .5: false, .97: true} {
			x := ask(t, release, fmt.Sprintf("SELECT QUANTILE(x, %g) FROM rows", level))[0]
			must.Hold(t, x.Range != "" == said, "%v: the quantile %g, %g to %g, says %q", a.Type, level, x.Low, x.High, x.Range)
		}
	}
}
