package private_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// Encode and Bound hide what they take: there is nothing to print. What does not fit shows before a pipeline runs,
// all at once.
func ExampleValidateStruct() {
	type person struct {
		Person string `dapple:"person_id"`
		Age    bool
	}
	d := &domain.Domain{PrivacyID: "person_id", Attributes: []domain.Attribute{
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 110}, Resolution: 1, HasFallback: true},
		{Name: "plan", Type: domain.String, Values: []string{"basic", "plus"}, HasFallback: true},
	}}
	err := private.ValidateStruct(reflect.TypeFor[person](), d)
	fmt.Println(strings.Contains(err.Error(), `"age"`), strings.Contains(err.Error(), `"plan"`))
	// Output: true true
}
