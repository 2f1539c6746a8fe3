// Package query holds what is asked of a table and what comes back: workloads of marginals, answers,
// and the released results of mechanisms, together with the sensitivities of each.
package query
