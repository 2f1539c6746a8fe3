// Package bounds has what papers prove of the errors of methods: rates without constants, as they are stated, and bounds with
// constants. All are functions of public figures. Errors are the largest of any cell or query, as a part of the units, unless
// a function says otherwise; a bound of 1 or more says nothing.
//
// Rates and numbers of theorems come from Micali, Lezane, Betken, arXiv:2411.00921.
package bounds
