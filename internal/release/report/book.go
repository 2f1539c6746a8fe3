package report

import "fmt"

// Book is the budget book that a release is charged to.
type Book struct {
	DataSet string  `json:"data_set"` // as its owner calls it
	Epsilon float64 `json:"epsilon"`  // of all releases that are entered there, together
	Delta   float64 `json:"delta"`
	// Entry and SHA256 belong to the entry that charged the release. A book that has them no more has lost its end.
	Entry  int    `json:"entry,omitempty"`
	SHA256 string `json:"entry_sha256,omitempty"`
}

// String says it in a sentence without its full stop.
func (b Book) String() string {
	as := ""
	if b.Entry > 0 {
		as = fmt.Sprintf(" as entry %d", b.Entry)
	}
	return fmt.Sprintf("this release is entered in the budget book of %s%s: all that is entered there keeps ε = %g and δ = %g together; losses of other releases add", b.DataSet, as, b.Epsilon, b.Delta)
}
