"""Prints what each bad request is answered with, a line for each fault."""

import datetime
import sys
import tempfile
import warnings
from typing import NamedTuple

import apache_beam as beam
import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Budget, Synthesize, _synthesize

DOMAIN = """privacy_id: id
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f}
"""


class Short(NamedTuple):
    id: str
    sex: str
    x: np.int16


beam.coders.registry.register_coder(Short, beam.coders.RowCoder)
CANARY = "canary-7f3a"
GOOD = [beam.Row(id=CANARY + str(i), sex=CANARY, x=731731731731731 + i) for i in range(100)]


def attempt(label, rows=GOOD, prepare=None, args=None, **options):
    """Prints what a fault is answered with: at construction a sentence alone, in a run, if there are args, one at the end."""
    options = {"domain": DOMAIN, "epsilon": 1, "delta": 1e-6} | options
    try:
        p = beam.Pipeline(options=PipelineOptions(args or []))
        col = p | rows if isinstance(rows, beam.PTransform) else p | beam.Create(rows)
        if prepare:
            col = col | prepare
        col | Synthesize(**options)
        if args is not None:
            p.run().wait_until_finish()
    except Exception as e:  # whatever it is, it is printed
        text = str(e)
        if args is not None:
            text = text[max(0, text.find("dapple:")):]
        if not text.startswith("dapple: ") or args is None and "\n" in text:
            print(f"{label}: NO SENTENCE")
        print(f"{label}: {text}")
        return
    print(f"{label}: it ran" if args is not None else f"{label}: NO ERROR")


attempt("domain", domain=DOMAIN.replace("[f, m]", "[]"))
attempt("option", row=5)
attempt("epsilon", epsilon=-1)
attempt("missing", rows=[beam.Row(id=CANARY, gender="f")])
attempt("int16", rows=beam.Create([Short(CANARY, "f", 1)]).with_output_types(Short))
attempt("datetime", rows=[beam.Row(id=CANARY, sex="f", at=datetime.datetime(2024, 1, 1))])
attempt("elements", rows=[CANARY, "b"])
attempt("windows", prepare=beam.WindowInto(beam.window.FixedWindows(60)))
attempt("service", service="localhost:9")
attempt("program", program="no-such-dapple")
try:
    _synthesize._check_version("2.40.0")
except RuntimeError as e:
    print(f"version: {e}")
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    _synthesize._check_version("2.99.0")
    print(f"newer: {warned[0].message}")
p = beam.Pipeline(options=PipelineOptions(["--runner=FlinkRunner"]))
try:
    p | beam.Create(GOOD) | Synthesize(domain=DOMAIN, epsilon=1, delta=1e-6)
except Exception as e:
    print(f"store: {e}")
p = beam.Pipeline(options=PipelineOptions([]))
rows = p | beam.Create(GOOD)
both = Budget(1, 1e-6)
for label, col, budget in [("first", rows, both), ("second", rows | beam.Filter(lambda r: True), both), ("twice", rows, None), ("third", rows, both)]:
    try:
        col | label >> Synthesize(domain=DOMAIN, epsilon=0.6, delta=1e-6, no_retries=True, budget=budget)
        print(f"{label}: it is expanded")
    except Exception as e:
        print(f"{label}: {e}")
# At run time: the store is a file, so that nothing can be kept in it.
with tempfile.NamedTemporaryFile() as f:
    attempt("run", store=f.name, run_id="run", args=sys.argv[1:])
# Cells that the domain lacks are its fallback.
attempt("unfit", no_retries=True, args=sys.argv[1:])
