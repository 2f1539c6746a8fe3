module github.com/dapple-dp/dapple

go 1.26
