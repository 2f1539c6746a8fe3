// Package theory has what is known of errors from released figures alone: what sampling adds if the table is seen as drawn
// from a distribution, and which values noise hides.
package theory
