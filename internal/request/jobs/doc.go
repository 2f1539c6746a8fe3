// Package jobs submits pipelines to Beam job services and follows them to their end. A job goes on when the
// program that submitted it ends, so that a job is cancelled, and its end awaited, by name.
//
// The protocol is beam_job_api.proto of Apache Beam; Flink's, Spark's and prism's job servers speak it.
package jobs
