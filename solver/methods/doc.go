// Package methods lists the algorithms by name and holds the public rule that chooses between them.
//
// The rule looks at the domain, the workload, ε, δ and the planning number of units, never at data, so
// that a plan can state the choice before anything is read.
package methods
