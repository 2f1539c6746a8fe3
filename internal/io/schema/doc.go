// Package schema reads the domain file: the YAML text in which people declare what a table may contain. Its format is on the
// page of the public package of this name, which passes on what users need.
package schema
