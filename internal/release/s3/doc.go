// Package s3 reaches objects of Amazon S3, and of the many services that speak its protocol, by their names,
// s3://bucket/path.
//
// # Design
//
// Versions are ETags. Every object is made by one request that carries the condition on which it may be made: a
// PutObject if it is small, or the request that completes an upload in parts, with If-None-Match: * or If-Match. A copy
// is an upload whose parts the service copies, since its own CopyObject has had no conditions for most of its life. Each
// request carries the CRC-32C of what it brings, and the service keeps that of the whole object. A service that ignores
// conditions is no place for a run with retries; those that honour them are S3 itself, MinIO, Ceph and VersityGW, of
// which the last is tested.
//
// Removing is conditional on S3; a service that ignores this condition removes whatever has the name.
//
// It uses the credentials that all tools for S3 share: variables, profiles, roles of the machine. AWS_ENDPOINT_URL_S3
// names another service.
package s3
