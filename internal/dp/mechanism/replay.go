package mechanism

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
)

// Replay returns a Curator without data that returns recorded releases: request i must equal the request of calls[i] bit by
// bit, and the first request that differs is an error. left returns how many recorded calls have not been asked for.
func Replay(budget dp.Budget, calls []Call) (c *Curator, left func() int) {
	next := 0
	c = &Curator{budget: budget, answer: func(r Request) (Release, error) {
		if next == len(calls) {
			return Release{}, fmt.Errorf("mechanism: replay: %s of stage %q, round %d after the last of %d recorded calls",
				r.Method, r.Stage, r.Round, len(calls))
		}
		recorded := calls[next]
		if want := recorded.Request; r.Digest() != want.Digest() {
			return Release{}, fmt.Errorf("mechanism: replay: call %d is %s of stage %q, round %d; recorded is %s of stage %q, round %d, or other arguments",
				next, r.Method, r.Stage, r.Round, want.Method, want.Stage, want.Round)
		}
		next++
		return recorded.Release.clone(), nil
	}}
	return c, func() int { return len(calls) - next }
}
