package gcs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// rows is what shard i holds.
func rows(i int) string { return strings.Repeat(fmt.Sprintf("row of shard %d\n", i), i+1) }

// stage writes all parts of a directory.
func stage(t testing.TB, d dirsink.Dir) []dirsink.FileRef {
	t.Helper()
	var refs []dirsink.FileRef
	for i := range d.Shards {
		ref := must.Value(writeShard(d, i))(t)
		refs = append(refs, ref)
	}
	return refs
}

func writeShard(d dirsink.Dir, i int) (dirsink.FileRef, error) {
	p, err := d.Create(ctx, i)
	if err != nil {
		return dirsink.FileRef{}, err
	}
	if _, err := p.Write([]byte(rows(i))); err != nil {
		return dirsink.FileRef{}, errors.Join(err, p.Abort())
	}
	return p.Commit(int64(i + 1))
}

var released = []dirsink.Released{dirsink.Content("_privacy.json", []byte("{}"))}

func directory(run string) dirsink.Dir {
	return dirsink.Dir{Path: "gs://bucket/out", RunID: run, Shards: 4, Extension: "csv"}
}

// Whatever request is lost, or its answer: the output is published once, and publishing again changes
// nothing. Ten rows of ten.
func TestLostRequestsAndAnswers(t *testing.T) {
	for _, k := range []kind{upload, copied, remove, list} {
		for _, f := range []fault{before503, after503, afterDrop} {
			t.Run(fmt.Sprintf("%s %s", f, k), func(t *testing.T) {
				s := services.StartStorage(t, "bucket")
				p := startProxy(t, s)
				p.inject(k, f, 0, 2)
				d := directory("run")
				must.Do(t, d.Prepare(ctx))
				refs := stage(t, d)
				for range 2 {
					m, err := d.Publish(ctx, refs, released, nil)
					must.Need(t, err == nil && m.Rows == 10, "%v, %v", m, err)
				}
				_, failed := p.seen(k)
				must.Hold(t, failed == 2, "%d requests failed, want 2", failed)
				complete(t, d.Path, 10)
				all := names(t, s, "bucket")
				must.Hold(t, len(all) == 6, "the bucket holds %v", all)
			})
		}
	}
}

// A request that is denied, whichever it is, ends the publication with an error, and a repetition
// completes it.
func TestDeniedAtEveryRequest(t *testing.T) {
	for _, k := range []kind{upload, copied, remove, list, read} {
		for n := 0; ; n++ {
			s := services.StartStorage(t, "bucket")
			p := startProxy(t, s)
			d := directory("run")
			if n%2 == 1 {
				old := directory("old")
				must.Value(old.Publish(ctx, stage(t, old), released, nil))(t)
				d.Overwrite = true
			}
			refs := stage(t, d)
			p.inject(k, denied, n, 1)
			_, err := d.Publish(ctx, refs, released, nil)
			_, failed := p.seen(k)
			p.inject(k, denied, 0, 0)
			if m, readErr := dirsink.Open(ctx, d.Path); readErr == nil {
				verifyErr := m.Verify(ctx)
				must.Need(t, verifyErr == nil && (err != nil || m.RunID == "run"), "%s %d: a manifest of run %s without its files: %v", k, n, m.RunID, verifyErr)
			} else if err == nil || !errors.Is(readErr, fs.ErrNotExist) {
				t.Fatalf("%s %d: %v, %v", k, n, err, readErr)
			}
			_, err = d.Publish(ctx, refs, released, nil)
			must.Need(t, err == nil, "%s %d: the repetition: %v", k, n, err)
			m, err := dirsink.Open(ctx, d.Path)
			must.Need(t, err == nil && m.Rows == 10 && m.Verify(ctx) == nil, "%s %d: %+v, %v", k, n, m, err)
			if failed == 0 && n > 1 {
				break
			}
		}
	}
}

// A shard that fails half-way leaves no object: not when it is given up, not when its run is stopped,
// and not when its upload fails at the end.
func TestHalfAShardLeavesNoObject(t *testing.T) {
	s := services.StartStorage(t, "bucket")
	d := directory("run")
	large := strings.Repeat("row\n", 3<<20) // several requests' worth
	p, err := d.Create(ctx, 0)
	must.Do(t, err)
	must.Value(p.Write([]byte(large)))(t)
	must.Pass(t, p.Abort())
	stopped, cancel := context.WithCancel(ctx)
	p, err = d.Create(stopped, 1)
	must.Do(t, err)
	must.Value(p.Write([]byte(large)))(t)
	cancel()
	must.Fails(p.Commit(3<<20))(t, "", "a part was committed after its context had ended")
	front := startProxy(t, s)
	p, err = d.Create(ctx, 2)
	must.Do(t, err)
	front.inject(upload, denied, 0, 100)
	must.Value(p.Write([]byte("row\n")))(t)
	if _, err := p.Commit(1); err == nil || !strings.Contains(err.Error(), `sink: shard 2: gs://bucket/out.release/_tmp/run/`) || !strings.Contains(err.Error(), `not allowed; grant this account roles/storage.objectUser on bucket "bucket"`) {
		t.Error(err)
	}
	all := names(t, s, "bucket")
	must.Hold(t, len(all) == 0, "the bucket holds %v", all)
}

// A bucket that is missing, or in which objects cannot be made or removed, is found before a run.
func TestPrepareFindsWhatIsMissing(t *testing.T) {
	s := services.StartStorage(t, "bucket")
	d := directory("run")
	d.Path = "gs://nowhere/out"
	must.Fail(t, d.Prepare(ctx), `bucket "nowhere" does not exist; create it, or check the name`)
	_, err := writeShard(d, 0)
	must.Hold(t, err != nil && strings.Contains(err.Error(), `bucket "nowhere" does not exist`), "a part in a missing bucket: %v", err)
	front := startProxy(t, s)
	for _, k := range []kind{list, upload, remove} {
		front.inject(k, denied, 0, 1)
		must.Fail(t, directory("run").Prepare(ctx), "not allowed; grant this account", "%s", k)
	}
	front.inject(list, denied, 0, 0)
	must.Pass(t, directory("run").Prepare(ctx))
}

// Two attempts of one run end with the output; of two runs at most one publishes, and the other one's
// files are not mixed in.
func TestRunsAtOnce(t *testing.T) {
	for _, ids := range [][2]string{{"same", "same"}, {"one", "two"}} {
		services.StartStorage(t, "bucket")
		var wg sync.WaitGroup
		var errs [2]error
		for i, id := range ids {
			d := directory(id)
			refs := stage(t, d)
			wg.Go(func() {
				for range 10 { // as a runner does
					if _, errs[i] = d.Publish(ctx, refs, released, nil); errs[i] == nil {
						return
					}
				}
			})
		}
		wg.Wait()
		m, err := dirsink.Open(ctx, "gs://bucket/out")
		switch {
		case ids[0] == ids[1] && (errs[0] != nil || errs[1] != nil || err != nil):
			t.Errorf("two attempts of one run: %v", errs)
		case errs[0] == nil && errs[1] == nil && ids[0] != ids[1]:
			t.Error("two runs have published into one directory")
		case (errs[0] == nil || errs[1] == nil) && (err != nil || m.Rows != 10 || m.Verify(ctx) != nil):
			t.Errorf("published, and is not there: %+v, %v", m, err)
		}
	}
}

// A run that was cut off between its parts and its manifest is not taken for output, is named at the
// next launch, and is replaced on request.
func TestCutOffBeforeTheManifest(t *testing.T) {
	s := services.StartStorage(t, "bucket")
	for i := range 4 {
		put(s, fmt.Sprintf("gs://bucket/out/part-%05d-of-00004.csv", i), rows(i))
	}
	d := directory("next")
	err := d.Check(ctx)
	must.Hold(t, errors.Is(err, dirsink.ErrCutOff), "%v", err)
	d.Overwrite = true
	must.Value(d.Publish(ctx, stage(t, d), released, nil))(t)
	complete(t, d.Path, 10)
}
