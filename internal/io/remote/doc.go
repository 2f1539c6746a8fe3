// Package remote holds what stores of objects have in common: the form of names such as scheme://bucket/path, and
// an end to calls that a silent service would never answer.
package remote
