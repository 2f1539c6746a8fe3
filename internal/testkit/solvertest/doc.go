// Package solvertest holds what tests of the algorithms share: tables with known figures, domains and
// sets of cliques that have caught mistakes, brute-force marginals, error measures, a curator with
// ordinary noise that protects nobody, and the checks that every algorithm must pass.
package solvertest
