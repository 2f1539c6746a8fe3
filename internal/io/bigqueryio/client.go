package bigqueryio

import (
	"context"
	"fmt"

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
	Location  string // of jobs, such as "EU"; default: the data's
	Endpoint  string // of another server, such as "http://127.0.0.1:9050"
	Anonymous bool   // send no credentials

	// Storage is the address of another server of the Storage Read API, such as "127.0.0.1:9060". It is
	// spoken to without encryption: it is a test's.
	Storage string
}

// Open connects. The caller closes the client.
func (c Client) Open(ctx context.Context) (*bigquery.Client, error) {
	client, err := bigquery.NewClient(ctx, c.Project, c.options()...)
	if err != nil {
		return nil, fmt.Errorf("bigquery: no client for project %q; run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS: %w", c.Project, err)
	}
	client.Location = c.Location
	return client, nil
}

// openStorage connects to the Storage Read API. The caller closes the client.
func (c Client) openStorage(ctx context.Context) (*storage.BigQueryReadClient, error) {
	c.Endpoint = c.Storage
	opts := c.options()
	if c.Storage != "" {
		opts = append(opts, option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials())))
	}
	client, err := storage.NewBigQueryReadClient(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("bigquery: connecting to the Storage Read API: %w", err)
	}
	return client, nil
}

func (c Client) options() (opts []option.ClientOption) {
	if c.Endpoint != "" {
		opts = append(opts, option.WithEndpoint(c.Endpoint))
	}
	if c.Anonymous {
		opts = append(opts, option.WithoutAuthentication())
	}
	return opts
}
