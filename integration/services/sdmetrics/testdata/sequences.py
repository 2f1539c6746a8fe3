"""Makes two tables of histories, writes them to the directory given, and says what SDMetrics' scores of sequences are."""

import json
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
import sdmetrics
from sdmetrics.column_pairs import InterRowMSAS, StatisticMSAS
from sdmetrics.single_column import SequenceLengthSimilarity

warnings.filterwarnings("ignore")
directory = pathlib.Path(sys.argv[1])
DOMAIN = """privacy_id: who
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f}
  - {name: day, type: INT64, min: 0, max: 9999, fallback: 0}
  - {name: cost, type: NUMERIC, min: 0, max: 100, resolution: 0.01, null: true}
  - {name: score, type: FLOAT64, min: -50, max: 50, bins: 10, null: true}
  - {name: kind, type: STRING, values: [a, b, c], fallback: a}
events: {person: [sex], rows: {max: 60}, order: day}
"""


def table(people, seed, shift):
    r = np.random.default_rng(seed)
    rows = []
    for who in range(people):
        day, cost, sex = r.integers(0, 300), 20 * r.random(), "fm"[r.integers(0, 2)]
        for _ in range(1 + r.poisson(4 + shift)):
            rows.append((who, sex, day, np.nan if r.random() < .1 else round(cost, 2),
                         np.nan if r.random() < .3 else round(10 * r.normal(), 6), "abc"[r.integers(0, 3)]))
            day += 1 + r.geometric(.05 / (1 + shift))
            cost = min(100, max(0, cost + r.normal(.5 + shift)))
    return pd.DataFrame(rows, columns="who sex day cost score kind".split())


(directory / "histories.yaml").write_text(DOMAIN)
true, synthetic = table(400, 1, 0), table(300, 2, .3)
true.to_csv(directory / "true.csv", index=False)
synthetic.to_csv(directory / "synthetic.csv", index=False)
pair = lambda metric, column: metric.compute((true.who, true[column]), (synthetic.who, synthetic[column]))
print(json.dumps({
    "version": sdmetrics.__version__,
    "length": SequenceLengthSimilarity.compute(true.who, synthetic.who),
    "inter_row": {c: pair(InterRowMSAS, c) for c in ("day", "cost", "score")},
    "statistic": {c: pair(StatisticMSAS, c) for c in ("day", "cost", "score")},
}))
