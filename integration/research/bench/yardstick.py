"""Prints how well classifiers that spend all of (1, 1e-9) on one label do: area under the ROC curve on the second CSV file,
trained on the first, by the last column. Bins and the steps' size are chosen without privacy: an upper bound."""

import sys

import numpy
import pandas
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

EPSILON, DELTA, RUNS, STEPS, CLIP, RATE = 1, 1e-9, 5, 250, 0.5, 12


def features(tables):
    out = [[] for _ in tables]
    for name in tables[0].columns[:-1]:
        x = tables[0][name]
        if pandas.api.types.is_numeric_dtype(x):
            mode = x.mode()[0]
            edges = numpy.unique(numpy.append(x[x != mode].quantile(numpy.linspace(0.06, 0.94, 16)), [mode, numpy.nextafter(mode, numpy.inf)]))
            codes, size = [numpy.searchsorted(edges, t[name], side="right") for t in tables], len(edges) + 1
        else:
            known = {v: i for i, v in enumerate(sorted(set(x)))}
            codes, size = [t[name].map(known).fillna(0).astype(int) for t in tables], len(known)
        for o, c in zip(out, codes):
            o.append(numpy.eye(size, dtype=numpy.float32)[c])
    ones = [numpy.concatenate(o + [numpy.ones((len(o[0]), 1), numpy.float32)], axis=1) for o in out]
    return [x / numpy.sqrt(x[0].sum()) for x in ones]  # every row has norm 1


def descend(x, y, rng):
    """Logistic regression by gradient descent on all rows: so many Gaussian mechanisms are one of mu-GDP, exactly."""
    mu = brentq(lambda m: norm.cdf(m / 2 - EPSILON / m) - numpy.exp(EPSILON) * norm.cdf(-m / 2 - EPSILON / m) - DELTA, 0.01, 5)
    sigma = CLIP * numpy.sqrt(STEPS) / mu
    weights, speed, mean = numpy.zeros(x.shape[1]), 0, 0
    for step in range(STEPS):
        slope = numpy.clip(1 / (1 + numpy.exp(-x @ weights.astype(numpy.float32))) - y, -CLIP, CLIP)
        speed = 0.9 * speed + (slope.astype(numpy.float32) @ x + sigma * rng.standard_normal(x.shape[1])) / len(x)
        weights = weights - RATE * speed
        mean = mean + (weights if step >= STEPS / 2 else 0)
    return mean


def show(name, areas):
    print(f"{name}: {numpy.mean(areas):.4f}, standard deviation {numpy.std(areas, ddof=1):.4f}", flush=True)


train, test = (pandas.read_csv(name, keep_default_na=False) for name in sys.argv[1:])
label = train.columns[-1]
y, wanted = (t[label] == train[label].max() for t in (train, test))
x, z = features([train, test])
show("noisy gradient descent", [roc_auc_score(wanted, z @ descend(x, y.to_numpy(float), numpy.random.default_rng(s))) for s in range(RUNS)])
try:
    from interpret.privacy import DPExplainableBoostingClassifier as Boosting
except ImportError:
    sys.exit()
plain = [t.drop(columns=label) for t in (train, test)]
numbers = {c: (v.min(), v.max()) for c, v in plain[0].items() if pandas.api.types.is_numeric_dtype(v)}
types = ["continuous" if c in numbers else "nominal" for c in plain[0]]
show("interpret's boosting", [roc_auc_score(wanted, Boosting(epsilon=EPSILON, delta=DELTA, random_state=s, feature_types=types, privacy_bounds=numbers, n_jobs=1)
                              .fit(plain[0], y.astype(int)).predict_proba(plain[1])[:, 1]) for s in range(RUNS)])
