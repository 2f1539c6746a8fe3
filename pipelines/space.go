package pipelines

import (
	"fmt"
	"os"

	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// need is a lower bound on what a run will write to a directory of this machine.
type need struct {
	flag, dir, what string
	bytes, names    int64
}

// checkSpace refuses a request whose output does not fit the disks of this machine, before any budget is spent. It
// uses the plan's estimate, without the parts that a plan does not know.
func checkSpace(r *Request, f *Faults) {
	if r.File == nil || r.Chosen.Name == "" {
		return
	}
	*f = append(*f, shortages(r.needs(), files.Space)...)
}

// heldModel bounds the cells of a domain whose model every method holds cell by cell.
const heldModel = 1 << 20

// needs lists the directories with what is written to them.
func (r *Request) needs() (list []need) {
	model := int64(0)
	if _, cells, _ := r.Problem.Domain.Universe(); cells <= heldModel {
		model = 8 * int64(cells)
	}
	_, bytes := plan.Written(r.Problem, r.Rows)
	rows, parts := int64(bytes), int64(orDefault(r.Shards, DefaultShards))
	release := r.target().beside()
	add := func(flag, dir, what string, bytes, names int64) {
		if dir != "" && !files.Remote(dir) {
			list = append(list, need{flag, dir, what, bytes, names})
		}
	}
	const few = 16 // names of directories, marks and released files
	if isTable(r.Output) {
		if st := run.AreaOf(r.TempLocation, r.target().beside(), r.scratch); !files.Remote(st.Dir) {
			add(r.scratchFlag(), r.scratch, "rows to be loaded", rows, parts)
		}
	} else {
		add("--output", r.Output, "rows", rows, parts)
		if to, known := files.Space(r.Output); known {
			if from, known := files.Space(release); known && from.Disk != to.Disk {
				add(r.target().flag(release), release, "rows until they are published", rows, parts)
			}
		}
	}
	add(r.target().flag(release), release, "model and statement", model, few)
	if !files.Remote(r.TempLocation) && !files.Remote(r.target().beside()) {
		add(r.scratchFlag(), r.scratch, "model until it is published", model, few)
	}
	return list
}

// shortages compares needs with what is left, disk by disk: directories of one disk need the sum.
func shortages(needs []need, space func(dir string) (files.Free, bool)) (faults Faults) {
	left := map[uint64]files.Free{}
	for _, n := range needs {
		now, known := space(n.dir)
		if !known {
			continue
		}
		if before, seen := left[now.Disk]; seen {
			now = before
		}
		switch {
		case n.bytes > now.Bytes:
			faults.add(n.flag, fmt.Sprintf("%s has %s left for the %s, of about %s", n.dir, plan.Bytes(float64(max(now.Bytes, 0))), n.what, plan.Bytes(float64(n.bytes))),
				"make room, or name a directory on another disk")
		case now.Files >= 0 && n.names > now.Files:
			faults.add(n.flag, fmt.Sprintf("%s has room for %d more files, of which the %s need %d", n.dir, now.Files, n.what, n.names),
				"remove some, lower --shards, or name a directory on another disk")
		}
		now.Bytes -= n.bytes
		if now.Files >= 0 {
			now.Files = max(now.Files-n.names, 0)
		}
		left[now.Disk] = now
	}
	return faults
}

// scratchFlag is what chooses the directory for temporary files.
func (r *Request) scratchFlag() string {
	switch {
	case !r.Engine.elsewhere() && r.scratch == os.TempDir():
		return "TMPDIR"
	case r.TempLocation != "":
		return "--temp_location"
	}
	return r.target().flag(r.target().beside())
}
