package rake

func (r *run) descend() {}
