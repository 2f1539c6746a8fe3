package gcs

import (
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/fsouza/fake-gcs-server/fakestorage"
)
