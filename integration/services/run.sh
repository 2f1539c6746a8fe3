#!/usr/bin/env bash
# Runs the tests of this module, after building and installing what they need under bin/; with -install it does
# that alone. What is not there is left out and listed at the end, with what out/skipped.txt lists already; with
# CI=true only a missing compiler, Python or Node may be.
set -uo pipefail
cd "$(dirname "$0")"
go=${GO:-go}
bin=$(cd ../.. && mkdir -p bin out && cd bin && pwd)
out=$(cd ../../out && pwd)
absent=() broken=()

# A network stumbles now and then: what is fetched is asked for a second time.
twice() { "$@" || { sleep 10 && "$@"; }; }

# The emulator of BigQuery: a large program, linked again only when its pins change.
emulator() {
	[ -n "${BQ_EMULATOR_BIN:-}" ] && return
	local out=$bin/bigquery-emulator
	if [ emulator/go.sum -nt "$out" ] || [ ! -x "$out" ]; then
		echo "building the BigQuery emulator (the first time some minutes and 5 GB of memory) ..."
		(cd emulator && GOMEMLIMIT=5GiB twice "$go" build -o "$out" github.com/goccy/bigquery-emulator/cmd/bigquery-emulator) ||
			{ broken+=("BigQuery: the emulator does not build"); return; }
		touch "$out"
	fi
	export BQ_EMULATOR_BIN=$out
}

# A gateway that speaks the protocol of S3, conditions included, over a local directory.
gateway() {
	[ -n "${DAPPLE_S3_GATEWAY:-}" ] && return
	local version=v1.8.0 out=$bin/versitygw
	if ! "$out" --version 2>/dev/null | grep -q "${version#v}"; then
		echo "building a gateway for S3 ..."
		GOBIN=$bin twice "$go" install "-ldflags=-X main.Version=$version" "github.com/versity/versitygw/cmd/versitygw@$version" ||
			{ broken+=("S3: the gateway does not build"); return; }
	fi
	export DAPPLE_S3_GATEWAY=$out
}

# pyarrow, Polars and others, in an environment of their own; PySpark too, which is large, if there is Java.
python() {
	[ -n "${DAPPLE_PYTHON:-}" ] && return
	command -v python3 >/dev/null || { absent+=("pyarrow, Polars and others: there is no python3"); return; }
	local env=$bin/python
	if ! cmp -s requirements.txt "$env/requirements.txt"; then
		rm -rf "$env"
		python3 -m venv "$env" && twice "$env/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r requirements.txt &&
			cp requirements.txt "$env" || { broken+=("pyarrow, Polars and others: they cannot be installed into a virtual environment"); return; }
	fi
	if command -v java >/dev/null && ! "$env/bin/python" -c 'import pyspark' 2>/dev/null; then
		twice "$env/bin/pip" install -q --disable-pip-version-check "$(sed -n 's/^# if there is Java: //p' requirements.txt)" ||
			absent+=("PySpark: it cannot be installed")
	fi
	export DAPPLE_PYTHON=$env/bin/python
}

# The packages of a directory's requirements.txt, in an environment of their own, whose Python a variable names.
requirements() {
	local variable=$1 dir=$2 what=$3 env=$bin/$2
	[ -n "${!variable:-}" ] && return
	command -v python3 >/dev/null || { absent+=("$what: there is no python3"); return; }
	if ! cmp -s "$dir/requirements.txt" "$env/requirements.txt"; then
		rm -rf "$env"
		python3 -m venv "$env" && twice "$env/bin/pip" install -q --disable-pip-version-check --only-binary :all: -r "$dir/requirements.txt" &&
			cp "$dir/requirements.txt" "$env" || { broken+=("$what: it cannot be installed into a virtual environment"); return; }
	fi
	export "$variable=$env/bin/python"
}

# Airflow's operator for Beam, unread by any Python: the example is compared with its source.
airflow() {
	[ -n "${DAPPLE_AIRFLOW:-}" ] && return
	command -v python3 >/dev/null || { absent+=("the example for Airflow: there is no python3"); return; }
	local wheel=apache-airflow-providers-apache-beam version=6.3.1
	export DAPPLE_AIRFLOW=$bin/airflow/${wheel//-/_}-$version-py3-none-any.whl
	[ -f "$DAPPLE_AIRFLOW" ] || twice "${DAPPLE_PYTHON:-python3}" -m pip download -q --disable-pip-version-check --no-deps -d "$bin/airflow" "$wheel==$version" ||
		{ unset DAPPLE_AIRFLOW; broken+=("the example for Airflow: its operator for Beam cannot be fetched"); }
}

node() {
	[ -n "${DAPPLE_NODE_MODULES:-}" ] && return
	command -v node >/dev/null && command -v npm >/dev/null || { absent+=("hyparquet and pages in a browser: there is no node, or no npm"); return; }
	local dir=$bin/node
	if ! cmp -s package.json "$dir/package.json" || [ ! -d "$dir/node_modules/hyparquet" ]; then
		rm -rf "$dir" && mkdir -p "$dir" && cp package.json "$dir" &&
			twice npm install --prefix "$dir" --no-package-lock --no-audit --no-fund --silent ||
			{ rm -rf "$dir"; broken+=("hyparquet, playwright-core and axe-core: they cannot be installed"); return; }
	fi
	export DAPPLE_NODE_MODULES=$dir/node_modules
}

# A browser for pages, which .ci/run installs with apt.
browser() {
	[ -n "${DAPPLE_CHROMIUM:-}" ] && return
	local name
	for name in chromium chromium-browser google-chrome; do
		DAPPLE_CHROMIUM=$(command -v "$name") && export DAPPLE_CHROMIUM && return
	done
	absent+=("pages in a browser: there is no Chromium")
}

packages=$("$go" list ./... | grep -v /engines) || exit 1 # make engines runs it
if ! command -v g++ >/dev/null; then
	absent+=("DuckDB and all other Parquet oracles: there is no C++ compiler")
	packages=$(grep -v /oracles <<<"$packages")
fi
emulator
gateway
python
requirements DAPPLE_SDMETRICS sdmetrics SDMetrics
requirements DAPPLE_BEAM beam "Beam in Python and YAML"
airflow
node
browser
[ "${1:-}" = -install ] && exit

[ $((${#absent[@]} + ${#broken[@]})) -eq 0 ] ||
	printf '  %s\n' ${absent[@]+"${absent[@]}"} ${broken[@]+"${broken[@]}"} >>"$out/skipped.txt"
(cd .. && "$go" build -o ../bin/suite ./suite) || exit 1
# Tests of services wait as long as they compute: four packages at a time keep two cores busy.
# shellcheck disable=SC2086 # one word for each package
GO=$go "$bin/suite" -log "$out/services.log" -list "$out/skipped.txt" -- -p 4 -count=1 -timeout 40m "$@" $packages
status=$?
if [ ${#broken[@]} -gt 0 ] && [ "${CI:-}" = true ]; then
	exit 1
fi
exit $status
