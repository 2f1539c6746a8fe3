package s3

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// large takes three parts.
const large = 17 << 20

// Each call does what io/files says of it, for an object of one request and for one of several parts.
func TestSystem(t *testing.T) {
	start(t, "bucket")
	s := files.SystemOf("s3://bucket/x")
	for _, size := range []int{0, 5, large} {
		t.Run(fmt.Sprint(size, " bytes"), func(t *testing.T) {
			name := fmt.Sprintf("s3://bucket/dir-%d/object", size)
			_, err := s.Stat(ctx, name)
			must.Hold(t, errors.Is(err, fs.ErrNotExist), "nothing is there: %v", err)
			first := text(size, 0)
			must.Do(t, write(s.Create, name, first))
			old, err := s.Stat(ctx, name)
			must.Hold(t, err == nil && old.Size == int64(size) && old.Version != "" && (size <= 0 || old.CRC32C != 0), "%+v, %v", old, err)
			must.Pass(t, write(s.Create, name, first), "made again with the same content")
			err = write(s.Create, name, append(text(size, 1), 'x'))
			must.Hold(t, errors.Is(err, fs.ErrExist), "made again with another content: %v", err)
			must.Pass(t, s.Copy(ctx, old, name+"-2", files.Info{}), "copied")
			must.Pass(t, s.Copy(ctx, old, name+"-2", files.Info{}), "copied again")
			must.Pass(t, write(s.Replace, name, append(text(size, 1), 'x')), "replaced")
			err = s.Copy(ctx, old, name+"-3", files.Info{})
			must.Hold(t, size <= 0 || errors.Is(err, fs.ErrNotExist), "copied a version that is gone: %v", err)
			now, err := s.Stat(ctx, name)
			must.Hold(t, err == nil && now.Version != old.Version, "the version is the same: %v", err)
			err = s.Copy(ctx, now, name+"-2", files.Info{})
			must.Hold(t, errors.Is(err, fs.ErrExist), "copied over another content: %v", err)
			got, err := content(now, int64(size), -1)
			must.Hold(t, got == "x" && err == nil, "the end: %d bytes, %v", len(got), err)
			_, err = content(old, 0, 1)
			must.Hold(t, errors.Is(err, fs.ErrNotExist), "an old version was read: %v", err)
			err = s.Remove(ctx, old)
			must.Hold(t, errors.Is(err, fs.ErrExist), "another version was removed: %v", err)
			must.Pass(t, errors.Join(s.Remove(ctx, now), s.Remove(ctx, now)), "removed twice")
			w, err := s.Create(ctx, name)
			if err == nil {
				_, err = w.Write(first)
			}
			must.Do(t, err)
			w.Abort()
			_, err = s.Stat(ctx, name)
			must.Hold(t, errors.Is(err, fs.ErrNotExist), "a write that was given up: %v", err)
		})
	}
	names, err := s.Names(ctx, "s3://bucket")
	must.Hold(t, err == nil && strings.Join(names, " ") == "dir-0 dir-17825792 dir-5", "%v, %v", names, err)
	found, err := s.List(ctx, "s3://bucket/dir-*/object-2")
	must.Hold(t, err == nil && len(found) == 3, "%v, %v", found, err)
	for what, err := range map[string]error{
		"stat":   second(s.Stat(ctx, "s3://nowhere/object")),
		"names":  second(s.Names(ctx, "s3://nowhere")),
		"create": write(s.Create, "s3://nowhere/object", []byte("x")),
		"parts":  write(s.Create, "s3://nowhere/object", text(large, 0)),
	} {
		must.Hold(t, err != nil && !errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), `bucket "nowhere" does not exist`),
			"%s in a bucket that is not there: %v", what, err)
	}
}

func second[T any](_ T, err error) error { return err }

// Of many creators exactly one creates, and all go on with its value: with one request, and with several parts.
func TestRace(t *testing.T) {
	start(t, "bucket")
	for _, tt := range []struct{ creators, size int }{{20, 1 << 14}, {4, large}} {
		s := store.Objects{Dir: fmt.Sprintf("s3://bucket/race-%d", tt.size)}
		got, created := make([]byte, tt.creators), make([]bool, tt.creators)
		var wg sync.WaitGroup
		for i := range tt.creators {
			wg.Go(func() {
				current, won, err := s.CreateIfAbsent(ctx, "run/model", text(tt.size, byte(i)))
				if err != nil || len(current) != tt.size {
					t.Error(len(current), err)
					return
				}
				got[i], created[i] = current[0], won
			})
		}
		wg.Wait()
		winners := 0
		for i := range got {
			must.Need(t, got[i] == got[0], "creator %d went on with another value", i)
			if created[i] {
				winners++
			}
		}
		must.Hold(t, winners == 1, "%d winners", winners)
	}
}

// What is done has been done once, though its answer is lost.
func TestLostAnswers(t *testing.T) {
	n := start(t, "bucket")
	s := files.SystemOf("s3://bucket/x")
	for _, size := range []int{5, large} {
		name := fmt.Sprintf("s3://bucket/%d", size)
		last := func(method, query string) {
			left := 2
			n.losing(func(r *http.Request) bool {
				if r.Method != method || !strings.Contains(r.URL.RawQuery, query) || left == 0 {
					return false
				}
				left--
				return true
			})
		}
		method, query := http.MethodPut, ""
		if size == large {
			method, query = http.MethodPost, "uploadId"
		}
		last(method, query)
		err := write(s.Create, name, text(size, 0))
		must.Hold(t, err == nil && n.lost != 0, "%d bytes created, %d answers lost: %v", size, n.lost, err)
		o := must.Value(s.Stat(ctx, name))(t)
		last(http.MethodPost, "uploadId")
		err = s.Copy(ctx, o, name+"-copy", files.Info{})
		must.Hold(t, err == nil && n.lost != 0, "%d bytes copied, %d answers lost: %v", size, n.lost, err)
		last(http.MethodDelete, "")
		err = s.Remove(ctx, o)
		must.Hold(t, err == nil && n.lost != 0, "%d bytes removed, %d answers lost: %v", size, n.lost, err)
	}
}
