package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// curve writes the errors at other ε.
func (p *Plan) curve() string {
	var list []string
	for _, x := range p.Curve {
		list = append(list, fmt.Sprintf("%s at %g", page.Plain(x.TV), float64(x.Epsilon)))
	}
	head := "at other ε: "
	if p.Domain.Learns() {
		head = "in the same bins at other ε: "
	}
	return head + strings.Join(list, ", ")
}

// target writes the ε for a wanted error.
func (p *Plan) target() string {
	a := p.Aimed
	return fmt.Sprintf("ε = %g, likely between %s and %s, for an error of %s in %s", float64(a.Epsilon), epsilonEnd(a.Low), epsilonEnd(a.High), page.Plain(a.TV), a.Target)
}

func epsilonEnd(x float64) string {
	if math.IsNaN(x) {
		return fmt.Sprintf("more than %g", float64(MostEpsilon))
	}
	return fmt.Sprintf("%.3g", x)
}

// leastSeconds is the least time that is told.
const leastSeconds = 0.1

// seconds writes a time for people.
func seconds(s float64) string {
	if math.IsNaN(s) {
		return "unknown"
	}
	if s < leastSeconds {
		return "less than 0.1 s"
	}
	if s < 60 {
		return fmt.Sprintf("about %.2g s", s)
	}
	return fmt.Sprintf("about %.2g min", s/60)
}
