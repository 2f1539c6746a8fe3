package services

import (
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// StartStorage runs an emulator of Cloud Storage in this process until the test ends, with the given
// buckets, whose names have three characters at least. Clients find it by STORAGE_EMULATOR_HOST.
func StartStorage(t *testing.T, buckets ...string) *fakestorage.Server {
	t.Helper()
	s, err := fakestorage.NewServerWithOptions(fakestorage.Options{
		Scheme: "http", Host: "127.0.0.1", Port: 0, PublicHost: "127.0.0.1",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	for _, b := range buckets {
		s.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: b})
	}
	t.Setenv("STORAGE_EMULATOR_HOST", s.URL())
	return s
}
