package generate_test

import (
	"fmt"
	"os"

	"github.com/dapple-dp/dapple/examples/visits/generate"
)

func ExampleWrite() {
	if err := generate.Write(os.Stdout, generate.Params{People: 3, Seed: 1}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// person_id,sex,age,region,insurance,income,visited,department,cost,admitted
	// P0000001,Male,50,North,private,54263.27,2024-02-26,General practice,78.43,false
	// P0000001,Male,51,North,private,54263.27,2024-11-19,Emergency,2262.42,true
	// P0000002,X,79,North,private,34778.71,2024-05-08,Emergency,962.30,true
	// P0000003,Male,67,Centre,private,30493.05,2024-02-14,Orthopaedics,82.95,false
	// P0000003,Male,67,Centre,private,30493.05,2024-05-25,Cardiology,375.10,false
}
