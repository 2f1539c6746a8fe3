package report

import "fmt"

// Book is the budget book that a release is charged to.
type Book struct {
	DataSet string  `json:"data_set"` // as its owner calls it
	Epsilon float64 `json:"epsilon"`  // of all releases that are entered there, together
	Delta   float64 `json:"delta"`
}

// String says it in a sentence without its full stop.
func (b Book) String() string {
	return fmt.Sprintf("this release is entered in the budget book of %s: all that is entered there keeps ε = %g and δ = %g together; losses of other releases add", b.DataSet, b.Epsilon, b.Delta)
}
