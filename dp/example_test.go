package dp_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
)

// A budget is checked before anything is spent: an error names the value and what is allowed.
func ExampleEpsilon_Validate() {
	fmt.Println(dp.Epsilon(1).Validate())
	fmt.Println(dp.Epsilon(-1).Validate() != nil)
	fmt.Println(dp.AddRemove, dp.Replace)
	// Output:
	// <nil>
	// true
	// AddRemove Replace
}
