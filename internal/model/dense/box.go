package dense

import "gonum.org/v1/gonum/floats"

// AddBlock adds values[z_A] to every cell z of out, where A is clique i of the plan; of linear queries, the sum of
// their values times those given. It panics on wrong lengths. Cost: one pass over out.
func (o *Oracle) AddBlock(i int, values, out []float64) {
	p := o.plan
	if q := p.queries[i]; q != nil {
		if len(values) != p.answers[i] {
			panic("dense: block of the wrong length")
		}
		table := make([]float64, p.cells[i])
		q.Adjoint(values, table)
		values = table
	}
	if len(out) != p.k || len(values) != p.cells[i] {
		panic("dense: block or vector of the wrong length")
	}
	p.addBlock(i, 0, 0, 0, p.k, values, out)
}

// addBlock handles attributes from axis on, inside out[at:at+size]; cell is the part of the clique's
// cell that the attributes before axis decide, and pos how many of the clique's attributes they are.
func (p *Plan) addBlock(i, axis, pos, cell, size int, values, out []float64) {
	c := p.cliques[i]
	if pos == len(c) {
		floats.AddConst(values[cell], out)
		return
	}
	if pos == len(c)-1 && c[pos] == len(p.sizes)-1 && axis == c[pos] {
		floats.Add(out, values[cell*size:(cell+1)*size])
		return
	}
	step := size / p.sizes[axis]
	for v := range p.sizes[axis] {
		part := out[v*step : (v+1)*step]
		if c[pos] == axis {
			p.addBlock(i, axis+1, pos+1, cell*p.sizes[axis]+v, step, values, part)
		} else {
			p.addBlock(i, axis+1, pos, cell, step, values, part)
		}
	}
}

// AddCell adds x to every cell z of out with z_A = cell, where A is clique i of the plan; of a linear query, x times
// its values. It panics on a wrong length and on a cell that the clique does not have. Cost: the cells of the box.
func (o *Oracle) AddCell(i, cell int, x float64, out []float64) {
	p := o.plan
	if p.queries[i] != nil {
		g := make([]float64, p.answers[i])
		g[cell] = x
		o.AddBlock(i, g, out)
		return
	}
	if len(out) != p.k || cell < 0 || cell >= p.cells[i] {
		panic("dense: cell or vector of the wrong length")
	}
	p.addCell(i, 0, 0, cell, p.cells[i], x, out)
}

// addCell handles attributes from axis on; cells is the number of cells of the clique's attributes
// from pos on, and cell one of them.
func (p *Plan) addCell(i, axis, pos, cell, cells int, x float64, out []float64) {
	c := p.cliques[i]
	if pos == len(c) {
		floats.AddConst(x, out)
		return
	}
	step := len(out) / p.sizes[axis]
	if c[pos] == axis {
		cells /= p.sizes[axis]
		v := cell / cells
		p.addCell(i, axis+1, pos+1, cell-v*cells, cells, x, out[v*step:(v+1)*step])
		return
	}
	for v := range p.sizes[axis] {
		p.addCell(i, axis+1, pos, cell, cells, x, out[v*step:(v+1)*step])
	}
}
