// Package query holds the questions that are asked of a table and their answers: workloads of marginals and of linear
// queries, their sensitivities, and the released results of mechanisms.
package query
