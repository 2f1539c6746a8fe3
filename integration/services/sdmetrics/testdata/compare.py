"""Makes tables, writes them to the directory given, and says what SDMetrics' QualityReport finds in them."""

import json
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
import sdmetrics
from sdmetrics.reports import QualityReport
from sdmetrics.reports.single_table._properties import base

warnings.filterwarnings("ignore")
base.DEFAULT_NUM_ROWS_SUBSAMPLE = None  # all rows: of more than 50,000 the report compares a random sample
directory = pathlib.Path(sys.argv[1])

# A column: what the domain file says, what it is to SDMetrics, how pandas reads it again.
COLUMNS = {
    "amount": ("FLOAT64, min: 0, max: 1000, bins: 20", "numerical"),
    "price": ("NUMERIC, min: 0, max: 500, bins: 25, resolution: 1", "numerical"),
    "count": ("INT64, min: 0, max: 40, bins: 8", "numerical"),
    "twin": ("FLOAT64, min: -100, max: 1000, bins: 12", "numerical"),
    "flat": ("INT64, min: 0, max: 9", "numerical"),
    "void": ("FLOAT64, min: 0, max: 1, bins: 2", "numerical"),
    "tiny": ("FLOAT64, min: 0, max: 1, bins: 4", "numerical"),
    "far": ("FLOAT64, min: 0, max: 100, bins: 10", "numerical"),
    "day": ("DATE, min: 2020-01-01, max: 2024-12-31, step: month", "datetime"),
    "at": ("DATETIME, min: 2020-01-01T00:00:00, max: 2024-12-31T00:00:00, step: month", "datetime"),
    "stamp": ("TIMESTAMP, min: 2020-01-01T00:00:00Z, max: 2024-12-31T00:00:00Z, step: quarter", "datetime"),
    "sex": ("STRING, values: [Female, Male], other: true", "categorical"),
    "plan": ("STRING, values: [basic, plus, gold], other: true", "categorical"),
    "grade": ("INT64, values: [1, 2, 3], other: true, other_value: 0", "categorical"),
    "member": ("BOOL", "boolean"),
    "rank": ("INT64", "numerical"),
    "cost": ("NUMERIC, min: 0, max: 5", "numerical"),
}
DERIVED = """constraints:
  - {derive: rank, from: plan, map: {basic: 1, plus: 2, gold: 4}, else: 0}
  - {derive: cost, from: price / 100}
"""


def table(n, seed, shift):
    r = np.random.default_rng(seed)
    z = r.normal(size=n)
    day = np.datetime64("2020-03-01") + np.clip((600 + 300 * z).astype(int) + 20 * shift, 0, 1700).astype("timedelta64[D]")
    plan = np.where(z + .5 * r.normal(size=n) + .2 * shift > .7, "gold", np.where(z > -.3, "plus", "basic")).astype(object)
    df = pd.DataFrame({
        "amount": np.where(r.random(n) < .6, 0, np.exp(2 + z + .3 * r.normal(size=n) + .1 * shift)),
        "price": np.round(np.exp(3 + .7 * z)) - .01,
        "count": r.poisson(np.exp(.5 + .6 * z)),
        "twin": 50 + 20 * z + 3 * r.normal(size=n) - shift,
        "flat": np.full(n, 7),
        "void": np.full(n, np.nan),
        "tiny": np.round(r.random(n) * 5) * 1e-15,
        "far": np.abs(z) * 10,
        "day": day.astype("datetime64[ns]"),
        "at": (day.astype("datetime64[s]") + (r.integers(8, 18, n) * 3600 + r.integers(0, 60, n) * 60).astype("timedelta64[s]")).astype("datetime64[ns]"),
        "stamp": (np.datetime64("2021-01-01T00:00:00.123456") + (np.abs(z) * 3e13 / 1e3).astype("timedelta64[us]")).astype("datetime64[ns]"),
        "sex": np.where(r.random(n) < .5 + .1 * np.sign(z), "Female", np.where(r.random(n) < .02, "X é", "Male")).astype(object),
        "plan": plan,
        "grade": np.clip(np.round(2 + z), 0, 4).astype(int),
        "member": (z + r.normal(size=n) > 0).astype(object),
    })
    df.loc[0, "far"] = 1e6 * (1 + shift)  # a single far value
    for name, share in {"amount": .1, "twin": .05, "day": .2, "stamp": .03, "sex": .04, "plan": .1, "member": .15}.items():
        df.loc[r.random(n) < share, name] = None
    df["rank"] = df["plan"].map({"basic": 1, "plus": 2, "gold": 4})
    df["cost"] = df["price"] / 100
    return df


def score(x):
    return None if pd.isna(x) else float(x)


def expect(real, synthetic, columns):
    metadata = {"tables": {"t": {"columns": {c: {"sdtype": COLUMNS[c][1]} for c in columns}}}}
    report = QualityReport()
    report.generate({"t": real}, {"t": synthetic}, metadata, verbose=False)
    shapes = [[row["Column"], row["Metric"], score(row["Score"])] for _, row in report.get_details("Column Shapes").iterrows()]
    trends = []
    properties = {row["Property"]: score(row["Score"]) for _, row in report.get_properties().iterrows()}
    for _, row in report.get_details("Column Pair Trends").iterrows():
        a, b = row["Column 1"], row["Column 2"]
        trends.append([a, b, row["Metric"], score(row["Score"]), score(row["Real Correlation"]), score(row["Real Association"])])
    return {
        "shapes": shapes, "trends": trends,
        "average_shapes": properties["Column Shapes"], "average_trends": properties["Column Pair Trends"],
        "overall": score(report.get_score()),
    }


def written(df):
    out = df.copy()
    for name in df.columns:
        kind = COLUMNS[name][1]
        if kind == "datetime":
            form = {"day": "%Y-%m-%d", "at": "%Y-%m-%dT%H:%M:%S", "stamp": "%Y-%m-%dT%H:%M:%S.%fZ"}[name]
            out[name] = df[name].dt.strftime(form)
        elif kind == "boolean":
            out[name] = df[name].map({True: "true", False: "false"})
    return out


cases = {}
for name, (n, m, columns) in {
    "all": (3000, 2500, [c for c in COLUMNS if c not in ("rank", "cost")]),
    "derived": (900, 700, ["price", "twin", "plan", "rank", "cost"]),
    "unequal": (400, 1700, ["amount", "twin", "far", "day", "sex", "plan"]),
    "large": (60000, 55000, ["amount", "price", "count", "at", "plan", "grade", "member"]),
    "texts": (500, 500, ["sex", "plan", "member"]),
    "one": (300, 200, ["twin"]),
}.items():
    real, synthetic = table(n, 1, 0)[columns], table(m, 2, 1)[columns]
    if "plan" in columns:
        synthetic.loc[synthetic.index % 50 == 3, "plan"] = "other"
    for side, df in (("true", real), ("synthetic", synthetic)):
        written(df).to_csv(directory / f"{name}-{side}.csv", index=False)
    derived = ("rank", "cost") if "rank" in columns else ()
    fields = "\n".join(f"  - {{name: {c}, type: {COLUMNS[c][0]}{'' if c in derived else ', null: true'}}}" for c in columns)
    (directory / f"{name}.yaml").write_text(f"privacy_id: none\ncolumns:\n{fields}\n" + (DERIVED if derived else ""))
    cases[name] = expect(real, synthetic, columns)
print(json.dumps({"version": sdmetrics.__version__, "cases": cases}))
