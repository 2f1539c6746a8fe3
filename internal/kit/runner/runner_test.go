package runner

import "testing"

func TestNamed(t *testing.T) {
	for name, want := range map[string]struct {
		Runner
		restarts bool
		bundle   int64
		branches int
	}{
		"":               {Runner{Name: "prism"}, false, 0, 8},
		"PrismRunner":    {Runner{Name: "prism"}, false, 0, 8},
		"direct":         {Runner{Name: "direct"}, false, 0, 1},
		"FlinkRunner":    {Runner{Name: "flink", Java: true}, true, 190 << 20, 1},
		"spark":          {Runner{Name: "spark", Java: true}, true, 190 << 20, 1},
		"universal":      {Runner{Name: "universal", Java: true}, true, 190 << 20, 1},
		"DataflowRunner": {Runner{Name: "dataflow", Dataflow: true}, true, -1, 1},
	} {
		if r := Named(name); r != want.Runner || r.Restarts() != want.restarts || r.MaxBundle() != want.bundle || r.Branches() != want.branches {
			t.Errorf("%q: %+v, restarts %v, %d bytes, %d branches", name, r, r.Restarts(), r.MaxBundle(), r.Branches())
		}
	}
	if n := (Runner{Name: "prism", Service: true}).Branches(); n != 1 {
		t.Errorf("prism at a service: %d branches", n)
	}
}
