package theory

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// FarSpread is compared with sums over values that are counted one by one.
func TestFarSpread(t *testing.T) {
	for name, c := range map[string]struct {
		runs  []domain.Run
		n     int
		share float64
		want  float64
	}{
		"a value far away":      {[]domain.Run{{From: 0, Share: .9}, {From: 1, Share: 0}, {From: 10, Share: .1}}, 11, .1, .9},
		"half of that":          {[]domain.Run{{From: 0, Share: .9}, {From: 1, Share: 0}, {From: 10, Share: .1}}, 11, .05, .45},
		"the lower end, scaled": {[]domain.Run{{From: 0, Share: 2}, {From: 1, Share: 0}, {From: 10, Share: 18}}, 11, .1, .9},
		"even":                  {[]domain.Run{{From: 0, Share: 1}}, 10, .2, (4.5*4.5 + 3.5*3.5) / 82.5},
		"all":                   {[]domain.Run{{From: 0, Share: 1}}, 10, 1, 1},
		"one value":             {[]domain.Run{{From: 0, Share: 1}}, 1, .5, 0},
		"nothing":               {[]domain.Run{{From: 0, Share: 0}}, 9, .5, 0},
	} {
		if got := FarSpread(c.runs, c.n, c.share); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
