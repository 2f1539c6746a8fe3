package gs

import (
	"context"
	"fmt"
	"os"
	"sync"

	"cloud.google.com/go/storage"
)

// shared is the client of this process, made when it is first needed.
var shared struct {
	sync.Mutex
	client *storage.Client
	host   string // of the emulator that the client talks to; empty: the service
}

// emulator names the variable that makes the client library talk to an emulator.
const emulator = "STORAGE_EMULATOR_HOST"

// attempts bounds how often a request is sent whose repetition is harmless: for 15 seconds, in the mean.
const attempts = 6

// client returns the process's client. It lives until Close and not until ctx ends.
func client(ctx context.Context) (*storage.Client, error) {
	shared.Lock()
	defer shared.Unlock()
	host := os.Getenv(emulator)
	if shared.client != nil && shared.host == host {
		return shared.client, nil
	}
	c, err := storage.NewClient(context.WithoutCancel(ctx), storage.WithJSONReads())
	if err != nil {
		return nil, fmt.Errorf("no client of Cloud Storage; run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS: %w", err)
	}
	// Without an ErrorFunc of their own, uploads would not be sent again after a connection was cut.
	c.SetRetry(storage.WithMaxAttempts(attempts), storage.WithErrorFunc(storage.ShouldRetry))
	if shared.client != nil {
		_ = shared.client.Close() // of another emulator: nobody uses it any more
	}
	shared.client, shared.host = c, host
	return c, nil
}

// Close ends the process's client, if there is one. A later call makes a new one.
func (system) Close() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.client == nil {
		return nil
	}
	c := shared.client
	shared.client = nil
	return c.Close()
}

// object returns the handle of a name.
func object(ctx context.Context, name string) (*storage.ObjectHandle, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	c, err := client(ctx)
	if err != nil {
		return nil, err
	}
	bucket, path := split(name)
	return c.Bucket(bucket).Object(path), nil
}
