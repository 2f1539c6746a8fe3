package answer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestKnown: whatever the size of a number and of its error, what is written is the number to a twentieth of its error, or to as many
// decimals as there may be; it is short, and says 0 of 0 alone.
func TestKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		x, sd := math.Pow(10, 60*r.Float64()-30), math.Pow(10, 60*r.Float64()-30)
		if r.IntN(2) == 0 {
			sd = x * math.Pow(10, 4*r.Float64()-5)
		}
		if r.IntN(2) == 0 {
			x = -x
		}
		if r.IntN(8) == 0 {
			x, sd = math.Round(1e4*x)/1e4+1, 0
		}
		text := known(x, sd, 2, 6)
		got := must.Value(strconv.ParseFloat(text, 64))(t)
		must.Hold(t, math.Abs(got-x) <= max(.05*sd, .5e-6*1.0000001, 1e-15*math.Abs(x)) && math.Abs(got-x) < .6*math.Abs(x) || sd > math.Abs(x), "%g ± %g is written %s", x, sd, text)
		must.Hold(t, len(text) <= 28 && (got != 0 || sd > math.Abs(x)), "%g ± %g is written %s", x, sd, text)
	}
	must.Equal(t, fmt.Sprint(Mean{Value: 5.5e-12, Half: 6e-14}, Mean{Value: 5.5e30, Half: 6e28}, Mean{Value: 41.25, Half: .31}, Mean{Value: 3}, Mean{Value: 3.75}, Mean{Value: 100}, Mean{}),
		"mean 5.500e-12 ± 6.0e-14 mean 5.500e+30 ± 6.0e+28 mean 41.25 ± 0.31 mean 3 ± 0 mean 3.75 ± 0 mean 100 ± 0 mean 0 ± 0", "means")
}
