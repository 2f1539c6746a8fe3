// Package theory has what is known of the errors of the methods before a run: rates without constants, as papers state
// them; bounds with constants; what sampling adds if the table is seen as drawn from a distribution; and, after a run, what
// its choices prove.
//
// All are functions of public figures. Errors are the largest of any cell or query, as a part of the units, unless a
// function says otherwise. A bound of 1 or more says nothing, and is called vacuous where it is printed.
//
// Rates and numbers of theorems are those of Micali, Lezane, Betken, arXiv:2411.00921.
package theory
