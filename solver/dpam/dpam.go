// Package dpam names method DPAM with settings. A pipeline takes the name as synth.Params.Method.
package dpam

import "github.com/dapple-dp/dapple/internal/solver/dpam"

// Settings are what a request may choose. The zero value is the default.
//
//	type Settings struct {
//		Iterations int // largest number of steps of the fit, which costs time alone; 0: Rounds of the problem, or 600
//	}
type Settings = dpam.Settings

// Method names DPAM with settings: see dpfw.Method.
func Method(s Settings) string { return dpam.Method(s) }
