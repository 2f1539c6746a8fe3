package layout

// Leftover is what another run has staged and not published: synthetic rows, as a rule, of a release that
// counts.
type Leftover struct {
	RunID, Path string
	Dead        bool // its run has ended; false also if nothing can tell
}
