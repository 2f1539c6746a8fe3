// Package solver is the vocabulary of the algorithms that turn private counts into a public model.
//
// An algorithm sees private data only through a Curator, which charges a ledger before it draws. It
// hands over public values and receives released ones; everything it does with them is
// post-processing and costs nothing. That is a fact about imports: no method reaches the packages that
// draw noise or hold the ledger.
package solver
