package main

// The command, which this program builds within this module, is made with it.
import _ "github.com/spf13/cobra"
