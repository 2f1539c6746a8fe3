package run

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/request/jobs"
)

// Job is a run at a job service, as recorded in its staging.
type Job struct {
	Endpoint string
	ID       string
	Run      string // ID of the run that publishes
}

// Unlaunched is the ID of the job that a template may become: only who launches it learns another one.
const Unlaunched = ""

// jobName is the name of the n-th job of a staging: resuming a run submits another job.
func jobName(n int) string { return fmt.Sprintf("job-%d.json", n) }

// IsNote reports whether a name in a staging belongs to the note or to a job, which say nothing of what was drawn.
func IsNote(name string) bool {
	isJob, _ := path.Match("job-*.json", name)
	return isJob || name == noteName
}

// Newest returns the latest job that was submitted from a staging; ok is false if it ran only in a process.
func (s Staging) Newest(ctx context.Context) (j Job, ok bool) {
	j, n := s.jobs(ctx)
	return j, n > 0
}

// jobs returns the latest job of a staging, and how many there were.
func (s Staging) jobs(ctx context.Context) (j Job, n int) {
	for ; ; n++ {
		data, found, err := archive.Open(s.Dir).Get(ctx, jobName(n+1))
		if err != nil || !found || json.Unmarshal(data, &j) != nil {
			return j, n
		}
	}
}

// Remember records a job in a staging.
func (s Staging) Remember(ctx context.Context, j Job) error {
	_, n := s.jobs(ctx)
	_, _, err := archive.Open(s.Dir).CreateIfAbsent(ctx, jobName(n+1), wire.JSON(j))
	return err
}

// MayGoOn reports whether a job may be running: it is unless its service says that it has ended.
func (j Job) MayGoOn(ctx context.Context) bool {
	c, err := jobs.Dial(ctx, j.Endpoint)
	if err != nil {
		return true
	}
	defer c.Close()
	s, err := c.State(ctx, j.ID)
	return err != nil || !jobs.Ended(s)
}
