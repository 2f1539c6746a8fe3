package main

import (
	"bytes"
	"fmt"
	"strings"
)

// Two of three orders are small: 600 of 900, off by a few for noise and drawing.
func Example() {
	var out bytes.Buffer
	if err := run(&out); err != nil {
		fmt.Println(err)
		return
	}
	small := 0
	for line := range strings.Lines(out.String()) {
		if n, size := 0, ""; strings.HasSuffix(line, "small orders\n") {
			fmt.Sscan(line, &n, &size)
			small = n
		}
	}
	fmt.Println("about 600 of 900 orders are small:", 570 < small && small < 630)
	// Output: about 600 of 900 orders are small: true
}
