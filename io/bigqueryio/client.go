package bigqueryio

import (
	"context"
	"fmt"
	"sync"

	"cloud.google.com/go/bigquery"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Client holds the settings for reaching BigQuery. It is plain data, which a DoFn can carry; the zero value reaches
// the public service with the credentials of the environment.
type Client struct {
	Project   string // billed for jobs; required
	Location  string // of jobs, such as "EU"; default: that of the data
	Endpoint  string // of another server, such as "http://127.0.0.1:9050"
	Anonymous bool   // send no credentials
	Factory   string // name of registered options that are added; "" adds none

	// Storage is the address of another server of the Storage Read API, such as "127.0.0.1:9060". It is
	// spoken to without encryption: it is a test's.
	Storage string
}

// factories maps names to makers of client options, because a DoFn carries no functions.
var factories sync.Map

// RegisterOptions registers client options under a name on every worker, from an init function. It panics if the name
// is taken.
func RegisterOptions(name string, make func(context.Context) ([]option.ClientOption, error)) {
	if _, taken := factories.LoadOrStore(name, make); taken || name == "" || make == nil {
		panic("bigqueryio: options need a name that is free, and a function")
	}
}

// Open connects. The caller closes the client.
func (c Client) Open(ctx context.Context) (*bigquery.Client, error) {
	opts, err := c.options(ctx)
	if err != nil {
		return nil, err
	}
	client, err := bigquery.NewClient(ctx, c.Project, opts...)
	if err != nil {
		return nil, fmt.Errorf("bigquery: no client for project %q; run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS: %w", c.Project, err)
	}
	client.Location = c.Location
	return client, nil
}

// openStorage connects to the Storage Read API. The caller closes the client.
func (c Client) openStorage(ctx context.Context) (*storage.BigQueryReadClient, error) {
	c.Endpoint = c.Storage
	opts, err := c.options(ctx)
	if err != nil {
		return nil, err
	}
	if c.Storage != "" {
		opts = append(opts, option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	client, err := storage.NewBigQueryReadClient(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("bigquery: connecting to the Storage Read API: %w", err)
	}
	return client, nil
}

func (c Client) options(ctx context.Context) (opts []option.ClientOption, err error) {
	if c.Endpoint != "" {
		opts = append(opts, option.WithEndpoint(c.Endpoint))
	}
	if c.Anonymous {
		opts = append(opts, option.WithoutAuthentication())
	}
	if c.Factory == "" {
		return opts, nil
	}
	make, ok := factories.Load(c.Factory)
	if !ok {
		return nil, fmt.Errorf("bigquery: no client options are registered as %q", c.Factory)
	}
	more, err := make.(func(context.Context) ([]option.ClientOption, error))(ctx)
	return append(opts, more...), err
}
