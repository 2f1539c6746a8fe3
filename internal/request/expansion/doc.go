// Package expansion offers synth.Synthesize to pipelines in Python and Beam YAML, as the schema transform
// beam:schematransform:dapple:synthesize:v1 of an expansion service of Beam; and discover.Discover as
// beam:schematransform:dapple:discover:v1, whose one row is the text of a domain file.
//
// A pipeline sends the schema of its rows and the options of the transform. Expand builds the stage on a
// placeholder for the rows, and sends the graph back with every name under the namespace of the request (graft.go).
// The service sees schemas and options, never a row: those go from the runner to its workers, which are processes of
// this program, whose control and data pass through the pool that starts them (pool.go, control.go, forward.go), or
// containers that get the program as an artifact (artifacts.go).
//
// Rows come as Beam's row coder has them. Beam Go decodes INT16 wrongly, and knows no logical type; rows.go refuses the
// one, and logical.go adds those that tables have.
package expansion
