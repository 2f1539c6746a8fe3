package services

import (
	"net/http/httptest"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

// StartStorage runs an emulator of Cloud Storage in this process until the test ends, with the given
// buckets, whose names have three characters at least. Clients find it by STORAGE_EMULATOR_HOST, and
// what they write on a condition is written only if the condition holds.
func StartStorage(t *testing.T, buckets ...string) *fakestorage.Server {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	s, err := fakestorage.NewServerWithOptions(fakestorage.Options{
		Scheme: "http", NoListener: true, PublicHost: "127.0.0.1", ExternalURL: "http://" + front.Listener.Addr().String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = &conditions{next: s.HTTPHandler(), server: s, sessions: newSessions()}
	front.Start()
	t.Cleanup(func() {
		front.Close()
		s.Stop()
	})
	for _, b := range buckets {
		s.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: b})
	}
	t.Setenv("STORAGE_EMULATOR_HOST", front.URL)
	return s
}
