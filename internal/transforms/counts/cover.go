package counts

import (
	"slices"
	"sync"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	// coverCells is the largest table of a cover: 64 kB, which stay in a second-level cache.
	coverCells = 1 << 14
	// coverCliques bounds the work of finding a cover: some ten milliseconds.
	coverCliques = 1 << 10
)

// cover is a list of sets of attributes that contain all cliques of a shape. A record is counted once in each set,
// and the tables of the cliques are sums over the tables of the sets: one increment replaces the increments of all cliques inside the
// set.
type cover struct {
	sets   []domain.Clique // in lexicographic order
	within [][]int         // the cliques that are summed out of each set; each clique once
}

// newCover extends each clique that no set contains yet, the smallest first, by the attributes that add the most such
// cliques, as long as the table has at most coverCells. It returns nil if that saves nothing, or if there are too
// many cliques or attributes to try.
func newCover(sizes []int, cliques []domain.Clique) *cover {
	if len(cliques) > coverCliques || len(sizes) > 64 {
		return nil
	}
	masks, order := make([]uint64, len(cliques)), make([]int, len(cliques))
	for i, c := range cliques {
		order[i] = i
		for _, a := range c {
			masks[i] |= 1 << a
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(cells(sizes, cliques[i]) - cells(sizes, cliques[j])) })
	var found cover
	done := make([]bool, len(cliques))
	for _, first := range order {
		if done[first] {
			continue
		}
		set := grow(sizes, masks, done, masks[first], cells(sizes, cliques[first]))
		var within []int
		for i, m := range masks {
			if m&^set == 0 && !done[i] {
				done[i], within = true, append(within, i)
			}
		}
		found.sets, found.within = append(found.sets, attributes(set)), append(found.within, within)
	}
	if len(found.sets) == len(cliques) {
		return nil
	}
	found.sort()
	return &found
}

// grow adds attributes to a set of n cells. Of two that add as many cliques it takes the smaller.
func grow(sizes []int, masks []uint64, done []bool, set uint64, n int64) uint64 {
	for {
		best, most := -1, 0
		for a, size := range sizes {
			bit := uint64(1) << a
			if set&bit != 0 || n*int64(size) > coverCells {
				continue
			}
			gain := 0
			for i, m := range masks {
				if !done[i] && m&bit != 0 && m&^(set|bit) == 0 {
					gain++
				}
			}
			if gain > most || gain == most && gain > 0 && size < sizes[best] {
				best, most = a, gain
			}
		}
		if best < 0 {
			return set
		}
		set, n = set|1<<best, n*int64(sizes[best])
	}
}

func attributes(set uint64) domain.Clique {
	var c domain.Clique
	for a := range 64 {
		if set>>a&1 != 0 {
			c = append(c, a)
		}
	}
	return c
}

// sort orders the sets so that neighbours begin with the same attributes, which the kernel exploits.
func (v *cover) sort() {
	order := domain.All(len(v.sets))
	slices.SortFunc(order, func(i, j int) int { return slices.Compare(v.sets[i], v.sets[j]) })
	sets, within := make([]domain.Clique, len(order)), make([][]int, len(order))
	for to, from := range order {
		sets[to], within[to] = v.sets[from], v.within[from]
	}
	v.sets, v.within = sets, within
}

// covers holds the cover of the last shape, which all bundles of a run share.
var covers struct {
	sync.Mutex
	shape Shape
	cover *cover
}

// coverOf returns the cover of a shape, nil without one.
func coverOf(s *Shape) *cover {
	covers.Lock()
	defer covers.Unlock()
	if !s.equal(&covers.shape) {
		covers.shape, covers.cover = *s, newCover(s.Sizes, s.Cliques)
	}
	return covers.cover
}
