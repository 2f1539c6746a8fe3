package mechanism

import (
	"slices"

	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
)

// walk goes through all sequences of releases that an algorithm can receive: the algorithm runs once for each,
// and every run but the first repeats the path of the one before up to the call that returns something else.
type walk struct {
	tables int
	path   []step
	depth  int // calls made by the current run
}

// step is a call of the current run, with all that it can return.
type step struct {
	event    accountant.Event
	releases []Release
	before   law   // by table: the probability of what was released before
	laws     []law // by table: the probability of each release
	at       int
}

// atEnd reports whether the next call is not on the path yet.
func (w *walk) atEnd() bool { return w.depth == len(w.path) }

// next returns the next call of the current run.
func (w *walk) next() *step {
	w.depth++
	return &w.path[w.depth-1]
}

// reached returns the probability, on each table, of everything on the path.
func (w *walk) reached() law {
	if len(w.path) == 0 {
		return slices.Repeat(law{dptest.Sure()}, w.tables)
	}
	s, all := w.path[len(w.path)-1], make(law, w.tables)
	for i, before := range s.before {
		all[i] = before.And(s.laws[i][s.at])
	}
	return all
}

// advance turns the path to the next run, if there is one.
func (w *walk) advance() bool {
	for len(w.path) > 0 {
		s := &w.path[len(w.path)-1]
		if s.at++; s.at < len(s.releases) {
			return true
		}
		w.path = w.path[:len(w.path)-1]
	}
	return false
}
