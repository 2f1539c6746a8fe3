package dense

// BufferCells returns the number of cells of the buffers.
func (o *Oracle) BufferCells() int { return len(o.arena) }
