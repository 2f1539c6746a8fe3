"""Prints what each bad request is answered with, a line for each fault."""

import datetime
import sys
import tempfile
from typing import NamedTuple

import apache_beam as beam
import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Synthesize, _synthesize

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
GOOD = [beam.Row(id=CANARY + str(i), sex=CANARY) for i in range(100)]


def attempt(label, rows=GOOD, prepare=None, args=(), **options):
    options = {"domain": DOMAIN, "epsilon": 1, "delta": 1e-6} | options
    try:
        with beam.Pipeline(options=PipelineOptions(list(args))) as p:
            col = p | rows if isinstance(rows, beam.PTransform) else p | beam.Create(rows)
            if prepare:
                col = col | prepare
            col | Synthesize(**options)
    except Exception as e:  # whatever it is, it is printed
        text = str(e)
        print(f"{label}: {text[text.find('dapple:'):]}" if "dapple:" in text else f"{label}: NO SENTENCE {text}")
        if CANARY in text:
            print(f"{label}: THE ERROR HOLDS A CELL")
        return
    print(f"{label}: NO ERROR")


attempt("domain", domain=DOMAIN.replace("[f, m]", "[]"))
attempt("option", row=5)
attempt("epsilon", epsilon=-1)
attempt("missing", rows=[beam.Row(id="a", gender="f")])
attempt("int16", rows=beam.Create([Short("a", "f", 1)]).with_output_types(Short))
attempt("datetime", rows=[beam.Row(id="a", sex="f", at=datetime.datetime(2024, 1, 1))])
attempt("elements", rows=["a", "b"])
attempt("windows", prepare=beam.WindowInto(beam.window.FixedWindows(60)))
attempt("service", service="localhost:9")
attempt("program", program="no-such-dapple")
try:
    _synthesize._check_version("2.40.0")
except RuntimeError as e:
    print(f"version: {e}")
p = beam.Pipeline(options=PipelineOptions(["--runner=FlinkRunner"]))
try:
    p | beam.Create(GOOD) | Synthesize(domain=DOMAIN, epsilon=1, delta=1e-6)
except Exception as e:
    print(f"store: {e}")
# At run time: the store is a file, so that nothing can be kept in it.
with tempfile.NamedTemporaryFile() as f:
    attempt("run", store=f.name, args=sys.argv[1:])
