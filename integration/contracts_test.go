package integration

import (
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/solver"
)

// The curator is all that algorithms ask for, though none of them can import it.
var (
	_ solver.Curator   = (*mechanism.Curator)(nil)
	_ solver.Published = (*mechanism.Curator)(nil)
	_ rake.Curator     = (*mechanism.Curator)(nil)
)
