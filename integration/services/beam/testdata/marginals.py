"""python marginals.py people.csv domain.yaml rows.csv STORE [options of Beam]: rows that a pipeline in Go reads too."""

import csv
import sys
import time

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Synthesize

people, domain, out, store = sys.argv[1:5]
with open(people, newline="") as f:
    rows = [beam.Row(person=r["person"], sex=r["sex"], age=int(r["age"]), cost=float(r["cost"]) if r["cost"] else None) for r in csv.DictReader(f)]


class Keep(beam.DoFn):
    def process(self, made):
        with open(out, "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(["sex", "age", "cost"])
            for r in made:
                w.writerow([r.sex, r.age, "" if r.cost is None else r.cost])


stage = Synthesize(domain=open(domain).read(), epsilon=5, delta=1e-6, store=store, run_id="marginals")
took = []


def expand(p):
    read = p | beam.Create(rows) | beam.Map(lambda r: r).with_output_types(
        beam.typehints.row_type.RowTypeConstraint.from_fields([("person", str), ("sex", str), ("age", int), ("cost", beam.typehints.Optional[float])]))
    began = time.monotonic()
    made = read | stage
    took.append(time.monotonic() - began)
    return made


for _ in range(2):
    expand(beam.Pipeline())  # which does not run
with beam.Pipeline(options=PipelineOptions(sys.argv[5:])) as p:
    made = expand(p)
    print(f"expanded in {min(took):.3f} s")
    made["rows"] | beam.combiners.ToList() | beam.ParDo(Keep())
    made["statement"] | beam.Map(lambda s: print(f"{s.ledger}\nthe release is {s.model_place}"))
