// Package deploy compares the deployment examples of pipelines/deploy with the programs that they are for.
package deploy
