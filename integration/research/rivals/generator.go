package rivals

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
)

// The shape of a generator: inputs of 32 numbers, two hidden layers of 64.
const (
	generatorInputs = 300
	generatorNoise  = 32
	generatorHidden = 64
)

// generator is a mixture of product distributions over records, one for each fixed input: the input goes through two
// layers of rectified linear units to the logits of every attribute.
type generator struct {
	sizes  []int
	first  []int // of each attribute, its place among the outputs
	wide   int   // outputs: all codes of all attributes
	layers []layer

	parameters, gradient []float64 // of all layers
	adam                 adam

	input          []float64 // generatorInputs rows
	output         []float64 // probabilities, generatorInputs rows of wide
	outputGradient []float64
	scratch        []float64
	chain          [][]float64
}

// layer is an affine map with its values of the last forward pass.
type layer struct {
	in, out         int
	weights, biases []float64 // of parameters; weights[i·out+j]
	dWeights, dBias []float64 // of gradient
	value, dValue   []float64 // generatorInputs rows of out, after the rectifier but for the last layer
}

func newGenerator(sizes []int, rng *rand.Rand) *generator {
	g := &generator{sizes: sizes}
	for _, k := range sizes {
		g.first = append(g.first, g.wide)
		g.wide += k
	}
	shape := []int{generatorNoise, generatorHidden, generatorHidden, g.wide}
	n := 0
	for i := range 3 {
		n += (shape[i] + 1) * shape[i+1]
	}
	g.parameters, g.gradient = make([]float64, n), make([]float64, n)
	g.adam = adam{mean: make([]float64, n), square: make([]float64, n)}
	at := 0
	take := func(n int) (p, d []float64) {
		p, d = g.parameters[at:at+n], g.gradient[at:at+n]
		at += n
		return p, d
	}
	for i := range 3 {
		l := layer{in: shape[i], out: shape[i+1]}
		l.weights, l.dWeights = take(l.in * l.out)
		l.biases, l.dBias = take(l.out)
		for j := range l.weights { // He et al. 2015
			l.weights[j] = rng.NormFloat64() * math.Sqrt(2/float64(l.in))
		}
		l.value, l.dValue = make([]float64, generatorInputs*l.out), make([]float64, generatorInputs*l.out)
		g.layers = append(g.layers, l)
	}
	g.input = make([]float64, generatorInputs*generatorNoise)
	for i := range g.input {
		g.input[i] = rng.NormFloat64()
	}
	g.output, g.outputGradient = make([]float64, generatorInputs*g.wide), make([]float64, generatorInputs*g.wide)
	g.forward()
	return g
}

// forward computes the output of every input.
func (g *generator) forward() {
	x := g.input
	for i := range g.layers {
		l := &g.layers[i]
		for r := range generatorInputs {
			y := l.value[r*l.out : (r+1)*l.out]
			copy(y, l.biases)
			for k, v := range x[r*l.in : (r+1)*l.in] {
				if v != 0 {
					addScaled(y, l.weights[k*l.out:(k+1)*l.out], v)
				}
			}
			if i < len(g.layers)-1 {
				for j := range y {
					y[j] = max(y[j], 0)
				}
			}
		}
		x = l.value
	}
	for r := range generatorInputs {
		for a, k := range g.sizes {
			from := r*g.wide + g.first[a]
			softmax(g.output[from:from+k], x[from:from+k])
		}
	}
}

// backward turns the gradient by outputs into that by parameters.
func (g *generator) backward() {
	clear(g.gradient)
	last := len(g.layers) - 1
	for r := range generatorInputs {
		for a, k := range g.sizes {
			from := r*g.wide + g.first[a]
			p, d, out := g.output[from:from+k], g.outputGradient[from:from+k], g.layers[last].dValue[from:from+k]
			mean := 0.0
			for v := range p {
				mean += p[v] * d[v]
			}
			for v := range p {
				out[v] = p[v] * (d[v] - mean)
			}
		}
	}
	for i := last; i >= 0; i-- {
		l := &g.layers[i]
		x := g.input
		if i > 0 {
			x = g.layers[i-1].value
		}
		for r := range generatorInputs {
			d := l.dValue[r*l.out : (r+1)*l.out]
			addScaled(l.dBias, d, 1)
			for k, v := range x[r*l.in : (r+1)*l.in] {
				if v == 0 {
					if i > 0 {
						g.layers[i-1].dValue[r*l.in+k] = 0 // the rectifier is closed
					}
					continue
				}
				addScaled(l.dWeights[k*l.out:(k+1)*l.out], d, v)
				if i > 0 {
					g.layers[i-1].dValue[r*l.in+k] = dot(l.weights[k*l.out:(k+1)*l.out], d)
				}
			}
		}
	}
}

// answer writes the marginal of c, which sums to 1, to dst.
func (g *generator) answer(c domain.Clique, dst []float64) {
	clear(dst)
	product := make([]float64, len(dst))
	for r := range generatorInputs {
		product[0] = 1.0 / generatorInputs
		n := 1
		for _, a := range c {
			p := g.probabilities(r, a)
			for i := n - 1; i >= 0; i-- { // from the end, so that nothing is overwritten before it is read
				x := product[i]
				for v := len(p) - 1; v >= 0; v-- {
					product[i*len(p)+v] = x * p[v]
				}
			}
			n *= len(p)
		}
		addScaled(dst, product[:n], 1)
	}
}

// pullBack adds to the gradient by outputs the gradient of a function whose gradient by the marginal of c is d.
func (g *generator) pullBack(c domain.Clique, d []float64) {
	for len(g.chain) <= len(c) {
		g.chain = append(g.chain, nil)
	}
	for r := range generatorInputs {
		// chain[i] is d summed out, with the probabilities, over the attributes from c[i] on.
		g.chain[len(c)] = d
		for i := len(c) - 1; i > 0; i-- {
			p, from := g.probabilities(r, c[i]), g.chain[i+1]
			n := len(from) / len(p)
			if cap(g.chain[i]) < n {
				g.chain[i] = make([]float64, n)
			}
			g.chain[i] = g.chain[i][:n]
			for j := range n {
				g.chain[i][j] = dot(from[j*len(p):(j+1)*len(p)], p)
			}
		}
		for i, a := range c {
			x := append(g.scratchOf(len(g.chain[i+1])), g.chain[i+1]...)
			for _, b := range c[:i] { // sum out the attributes before
				p := g.probabilities(r, b)
				n := len(x) / len(p)
				for j := range n {
					x[j] *= p[0]
				}
				for v := 1; v < len(p); v++ {
					addScaled(x[:n], x[v*n:(v+1)*n], p[v])
				}
				x = x[:n]
			}
			from := r*g.wide + g.first[a]
			addScaled(g.outputGradient[from:from+len(x)], x, 1.0/generatorInputs)
		}
	}
}

func (g *generator) probabilities(r, a int) []float64 {
	from := r*g.wide + g.first[a]
	return g.output[from : from+g.sizes[a]]
}

// draw writes a record of the mixture.
func (g *generator) draw(record []domain.Code, rng *rand.Rand) {
	r := rng.IntN(generatorInputs)
	for a := range g.sizes {
		u, p := rng.Float64(), g.probabilities(r, a)
		v := 0
		for ; v < len(p)-1 && u >= p[v]; v++ {
			u -= p[v]
		}
		record[a] = domain.Code(v)
	}
}

func (g *generator) scratchOf(n int) []float64 {
	if cap(g.scratch) < n {
		g.scratch = make([]float64, 0, n)
	}
	return g.scratch[:0]
}

func addScaled(dst, x []float64, f float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += f * v
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	y = y[:len(x)]
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func softmax(dst, x []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, v)
	}
	for i, v := range x {
		dst[i] = math.Exp(v - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}
