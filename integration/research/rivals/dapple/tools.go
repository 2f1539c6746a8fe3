//go:build tools

package main

import _ "github.com/dapple-dp/dapple/pipelines/dapple" // so that go.mod has what the command needs
