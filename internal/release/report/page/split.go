package page

import (
	"cmp"
	"fmt"
	"slices"
)

// Split is a whole and its parts, as one bar.
type Split struct {
	Summary string
	Labels  []string
	Shares  []float64 // sum to at most 1
}

// SplitPart is one part of the bar, 1000 wide and 10 high.
type SplitPart struct{ Class, Path, Label, Text string }

// Parts returns the parts, in order.
func (s Split) Parts() (out []SplitPart) {
	x := 0.0
	s = s.pooled()
	for i, share := range s.Shares {
		out = append(out, SplitPart{
			Class: fmt.Sprintf("s%d", i), Label: s.Labels[i], Text: Percent(share, 1),
			Path: fmt.Sprintf("M%.2f 0h%.2fv10h-%.2fz", 1000*x, 1000*share, 1000*share),
		})
		x += share
	}
	return out
}

// Sorted returns the whole with its largest parts first.
func (s Split) Sorted() Split {
	order := make([]int, len(s.Shares))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Shares[j], s.Shares[i]) })
	out := Split{Summary: s.Summary}
	for _, i := range order {
		out.Labels, out.Shares = append(out.Labels, s.Labels[i]), append(out.Shares, s.Shares[i])
	}
	return out
}

// splits is how many colours the style has for parts.
const splits = 12

// pooled returns a whole of no more parts than there are colours: the last ones are one.
func (s Split) pooled() Split {
	if len(s.Shares) <= splits {
		return s
	}
	out := Split{Summary: s.Summary, Labels: append(slices.Clone(s.Labels[:splits-1]), fmt.Sprintf("%d smaller ones", len(s.Labels)-splits+1)), Shares: append(slices.Clone(s.Shares[:splits-1]), 0)}
	for _, share := range s.Shares[splits-1:] {
		out.Shares[splits-1] += share
	}
	return out
}
