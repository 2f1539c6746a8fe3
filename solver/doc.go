// Package solver defines the interfaces of the algorithms that turn private counts into a public model.
//
// An algorithm sees private data only through a Curator, which charges a ledger before it draws. It passes public
// values to the curator and receives released ones; everything it does with them is post-processing and costs
// nothing. Imports enforce this: no method reaches the packages that draw noise or hold the ledger.
package solver
