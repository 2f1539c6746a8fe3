package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/internal/report"
)

// writeMeaning says what ε and δ mean: how far a belief can move, and whether δ is small enough for the units.
func writeMeaning(b *strings.Builder, p *Plan) {
	epsilon, delta := float64(p.Charges.Epsilon), float64(p.Charges.Delta)
	fmt.Fprintf(b, "          whatever is released, a belief of 50 %% about one unit becomes %.3g %% at most", 100/(1+math.Exp(-epsilon)))
	if delta > 0 {
		b.WriteString(", but for a chance of δ")
	}
	b.WriteString("\n")
	if weak := report.WeakEpsilon(epsilon); weak != "" {
		fmt.Fprintf(b, "          %s\n", weak)
	}
	if 2*delta*p.Problem.Units >= 1 || delta > report.LargeDelta {
		fmt.Fprintf(b, "          δ = %g IS TOO LARGE: it is not below 1/(2·units), so that the promise may fail for somebody; take one far below\n", delta)
	}
}
