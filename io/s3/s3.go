// Package s3 makes objects of Amazon S3, and of services that speak its protocol, files like any others: a program
// that imports it reads and writes names such as s3://bucket/path wherever it takes the name of a file or a directory.
//
//	import _ "github.com/dapple-dp/dapple/io/s3"
//
// It uses the credentials and the region that all tools for S3 share (AWS_PROFILE, AWS_REGION, roles of the machine),
// and the service of AWS_ENDPOINT_URL_S3 if that is set. Objects are made on conditions (If-None-Match), which the
// service has to honour. Names with "?", "#", "%", "[" or "]" are refused.
package s3

import (
	"github.com/dapple-dp/dapple/internal/release/s3"
	"github.com/dapple-dp/dapple/io/files"
)

func init() { files.Register("s3", s3.System{}) }
