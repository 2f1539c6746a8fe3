"""Prints what the command computes on a table, and what dapple.synthesize does on it as a frame, in seconds: python cost.py ROWS."""

import resource
import subprocess
import sys

import numpy
import pandas

import dapple
from dapple import _program

rows = int(sys.argv[1])
draw = numpy.random.default_rng(1)
frame = pandas.DataFrame({
    "age": draw.integers(0, 100, rows),
    "sex": pandas.Categorical.from_codes(draw.integers(0, 2, rows), ["f", "m"]),
    "region": numpy.array(["north", "centre", "south", "islands"], dtype=object)[draw.integers(0, 4, rows)],
    "income": draw.lognormal(10, 1, rows).round(),
})
domain = {"privacy_id": "none", "columns": [
    {"name": "age", "type": "INT64", "min": 0, "max": 99, "fallback": 0},
    {"name": "sex", "type": "STRING", "values": ["f", "m"], "fallback": "f"},
    {"name": "region", "type": "STRING", "values": ["north", "centre", "south", "islands"], "fallback": "north"},
    {"name": "income", "type": "FLOAT64", "min": 0, "max": 200000, "resolution": 1, "fallback": 0},
]}
terms = {"epsilon": 1, "delta": 1e-9, "expected_rows": rows}


def computed() -> float:
    """CPU of this process and those that have ended below it."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


frame.to_parquet("table.parquet")
dapple.Domain(domain).save("domain.yaml")
before = computed()
subprocess.run([_program.find(), "synth", "table.parquet", "--domain=domain.yaml", "--output=out", "--quiet", *_program.options(terms)],
               check=True, stdout=subprocess.DEVNULL)
between = computed()
made = dapple.synthesize(frame, domain=domain, **terms)
assert abs(len(made.rows) - rows) < rows / 10, len(made.rows)
after = computed()
print(between - before, after - between)
