// Package s3 makes objects of Amazon S3, and of services that speak its protocol, files like any others: a program
// that imports it reads and writes names such as s3://bucket/path wherever it takes the name of a file or a directory.
//
//	import _ "github.com/dapple-dp/dapple/io/s3"
//
// It uses the credentials and the region that all tools for S3 share (AWS_PROFILE, AWS_REGION, roles of the machine),
// and the service of AWS_ENDPOINT_URL_S3 if that is set. Objects are made on conditions (If-None-Match), which the
// service has to honour. Names with "?", "#", "%", "[" or "]" are refused.
//
// # Design
//
// Versions are ETags. Every object is made by one request that carries the condition on which it may be made: a
// PutObject if it is small, or the request that completes an upload in parts, with If-None-Match: * or If-Match. A copy
// is an upload whose parts the service copies, since its own CopyObject has had no conditions for most of its life. Each
// request carries the CRC-32C of what it brings, and the service keeps the checksum of the whole object. A service that ignores
// conditions is no place for a run with retries; those that honour them are S3 itself, MinIO, Ceph and VersityGW, of
// which the last is tested.
//
// Removing is conditional on S3; a service that ignores this condition removes whatever has the name.
//
// It uses the credentials that all tools for S3 share: variables, profiles, roles of the machine. AWS_ENDPOINT_URL_S3
// names another service.
package s3

import "github.com/dapple-dp/dapple/internal/io/files"

func init() { files.Register("s3", system{}) }
