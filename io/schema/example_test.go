package schema_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/io/schema"
)

func ExampleParse() {
	_, err := schema.Parse("people.yaml", []byte(`
privacy_id: none
columns:
  - {name: age, type: INT64, min: 17, max: 90, bin: 20, null: true}
  - {name: sex, type: STRING, values: [Female, Male]}
`))
	fmt.Println(err)

	f, err := schema.Parse("people.yaml", []byte(`
privacy_id: none
columns:
  - {name: age, type: INT64, min: 17, max: 90, bins: 20, null: true}
  - {name: sex, type: STRING, values: [Female, Male], other: true}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Domain.Sizes())
	// Output:
	// people.yaml:4:48: column: unknown key "bin"; the keys are name, type, values, prefix, min, max, bins, edges, step, resolution, exact, beyond, null, other, other_value, fallback
	// people.yaml:5:5: column "sex" does not say what an unusable value becomes; add other: true, null: true or fallback: VALUE
	// [21 3]
}
