package gs

import "github.com/dapple-dp/dapple/internal/io/remote"

// scheme begins the names of objects.
const scheme = "gs://"

// CheckName is remote.CheckName.
func (system) CheckName(name string) error { return checkName(name) }

func checkName(name string) error { return remote.CheckName(scheme, name) }

// split returns the bucket and the path in it.
func split(name string) (bucket, object string) { return remote.Split(scheme, name) }
