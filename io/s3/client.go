package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/dapple-dp/dapple/internal/io/remote"
)

// scheme begins the names of objects.
const scheme = "s3://"

// system is S3. Versions are ETags.
type system struct{}

var cloud system

// CheckName is remote.CheckName.
func (system) CheckName(name string) error { return remote.CheckName(scheme, name) }

// shared is the client of this process, made when it is first needed.
var shared struct {
	sync.Mutex
	client *s3.Client
	host   string // of the other service that the client talks to; empty: S3
}

// attempts bounds how often a request is sent: all have conditions that make a repetition harmless.
const attempts = 6

// longestWait is the longest time between two attempts.
const longestWait = 4 * time.Second

// endpoint is the service that the environment names in place of S3.
func endpoint() string {
	return cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
}

// client returns the process's client. It lives until Close and not until ctx ends.
func client(ctx context.Context) (*s3.Client, error) {
	shared.Lock()
	defer shared.Unlock()
	host := endpoint()
	if shared.client != nil && shared.host == host {
		return shared.client, nil
	}
	cfg, err := config.LoadDefaultConfig(context.WithoutCancel(ctx), config.WithRetryer(func() aws.Retryer {
		r := retry.AddWithMaxBackoffDelay(retry.AddWithMaxAttempts(retry.NewStandard(), attempts), longestWait)
		return retry.AddWithErrorCodes(r, "ConditionalRequestConflict", "OperationAborted") // somebody else writes at this moment
	}))
	if err != nil {
		return nil, fmt.Errorf("no client of S3; run aws configure, or set AWS_PROFILE: %w", err)
	}
	if cfg.Region == "" {
		if host == "" {
			return nil, errors.New("no client of S3: set AWS_REGION to the region of the bucket, or run aws configure")
		}
		cfg.Region = "us-east-1" // what services of others take
	}
	shared.client, shared.host = s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = host != "" || cfg.BaseEndpoint != nil
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired // each request has one that we computed
		o.DisableLogOutputChecksumValidationSkipped = true
	}), host
	return shared.client, nil
}

// Close forgets the process's client. A later call makes a new one.
func (system) Close() error {
	shared.Lock()
	defer shared.Unlock()
	shared.client = nil
	return nil
}

// at returns the client with the bucket and the key of a name.
func at(ctx context.Context, name string) (c *s3.Client, bucket, key *string, err error) {
	if err := cloud.CheckName(name); err != nil {
		return nil, nil, nil, err
	}
	c, err = client(ctx)
	b, k := remote.Split(scheme, name)
	return c, &b, &k, err
}
