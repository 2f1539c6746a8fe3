// Package noise is the only place where randomness for privacy is read, and holds the exact samplers
// that use it.
//
//	root := noise.NewRoot(seed, configDigest, statisticsDigest)
//	inputs := noise.NewInputs().Int64s(counts).Sum()
//	g, err := noise.NewGaussian(big.NewRat(2500, 1)) // σ² = 2500
//	y := counts[0] + g.Draw(root.Stream("measure", 0, inputs))
//
// # Model
//
// A Seed is 32 secret bytes. A Root binds it to one configuration and one table of statistics. A Stream is a
// keystream for one call, bound to the call's stage and round and to all integers that enter it: a retry on equal
// integers repeats its draw, and a retry on different integers draws fresh noise. If the stream depended on the seed
// and a label alone, the difference of two outputs would show the difference of the data.
//
// Samplers use integers only. Given uniform words their laws are exact: no floating-point number
// decides a draw, except in BlockScore, which states its error. Every sampler is a Trial that either
// accepts or not, and a loop around it; trials use nothing but a Source, so that a test can enumerate
// the law of a trial instead of sampling it.
//
// # Not promised
//
// Running time and the number of trials depend on what is drawn. A Stream is not for concurrent use.
//
// # References
//
// Canonne, Kamath, Steinke 2020, The Discrete Gaussian for Differential Privacy, arXiv:2004.00010.
//
// # Design
//
// AES-256-CTR was chosen over ChaCha8 of math/rand/v2: it costs the same and is the conservative
// choice. Gaussian draws use 256-bit arithmetic in place of math/big, which is eight times faster; in
// return the variance is limited (see NewGaussian).
package noise
