// Package beam runs pipelines in Python and Beam YAML against dapple expand: on Python's own runner, and on prism.
// DAPPLE_BEAM names a Python with apache-beam, which run.sh installs.
package beam
