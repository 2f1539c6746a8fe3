package noise_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"

	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// Noise for two counts, from a seed that a real run would take from noise.NewSeed.
func ExampleGaussian_Draw() {
	seed, err := noise.SeedFromBytes([]byte("a fixed seed is for tests alone!"))
	if err != nil {
		fmt.Println(err)
		return
	}
	counts := []int64{120, 80}
	inputs := noise.NewInputs().Int64s(counts).Sum()
	root := noise.NewRoot(seed, sha256.Sum256([]byte("configuration")), inputs)
	stream := root.Stream("measure", 0, inputs)
	g, err := noise.NewGaussian(big.NewRat(100, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(counts[0]+g.Draw(stream), counts[1]+g.Draw(stream))
	fmt.Println(seed, root, stream)
	// Output:
	// 122 69
	// noise: redacted noise: redacted noise: redacted
}
