#!/bin/sh
# make.sh DAPPLE FOLDER: the release of a made-up table as that program writes it, rows drawn from it again, and a budget
# book. `make golden` runs it.
set -eu
dapple=$(realpath "$1") to=$(realpath -m "$2")
rm -rf /tmp/golden "$to" && mkdir -p /tmp/golden "$(dirname "$to")" && cd /tmp/golden # books hold whole names
cat >people.yaml <<'END'
privacy_id: person
columns:
  - {name: sex, type: STRING, values: [F, M], other: true}
  - {name: age, type: INT64, min: 0, max: 99, bins: 3, null: true}
  - {name: day, type: DATE, edges: ["2025-01-01", "2025-07-01", "2026-01-01"], fallback: "2025-01-01"}
  - {name: cost, type: NUMERIC, edges: [0, 60, 150, 600], resolution: 0.5, fallback: 0}
events: {person: [sex, age], rows: {max: 2}}
END
awk 'BEGIN { print "person,sex,age,day,cost"
	for (i = 0; i < 100; i++) printf "p%d,%s,%d,2025-%02d-%02d,%d\n", i/2, i/2%3 ? "F" : "M", int(i/2)*7%90, 1+i%12, 1+i%28, i*13%600 }' >people.csv
$dapple ledger book --create=people --input=people.csv --privacy_id=person --epsilon=2 --delta=1e-6
$dapple synth --domain=people.yaml --input=people.csv --output=out --layout=two --format=csv --shards=1 --epsilon=1 --delta=1e-7 --ledger=book --quiet
$dapple sample --model=out --output=again --layout=two --format=csv --shards=1 --sample_seed=7 --quiet
rm -r people.csv again.release # the table is no part of it
mv /tmp/golden "$to"
