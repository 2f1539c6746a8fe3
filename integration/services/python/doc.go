// Package python tests the package of pipelines/python as it is installed: from its wheel, in an environment of its own. Tests only.
package python
