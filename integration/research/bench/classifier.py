"""Prints areas under the ROC curve, one a line: on the first CSV file, of a classifier of the last column trained on each of the
others. After the word apart: of a classifier that tells rows of the first file from those of each of the others."""

import sys

import pandas
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

APART_ROWS = 10_000  # of either file, at most: half to train on, half to try


def area(test, train):
    target = test.columns[-1]
    if train[target].nunique() < 2:
        return 0.5  # all have the same score
    texts = [c for c in test.columns if not pandas.api.types.is_numeric_dtype(test[c])]
    for c in texts:  # the same codes in both
        known = {v: i for i, v in enumerate(sorted(set(test[c]) | set(train[c].astype(str))))}
        train[c], test[c] = train[c].astype(str).map(known), test[c].map(known)
    names = [c for c in test.columns if c != target]
    model = HistGradientBoostingClassifier(random_state=0, categorical_features=[c in texts for c in names])
    model.fit(train[names], train[target])
    return roc_auc_score(test[target], model.predict_proba(test[names])[:, 1])


def apart(real, rows):
    n = min(len(real), len(rows), APART_ROWS)
    both = pandas.concat([t.sample(n, random_state=1).assign(written=w) for w, t in enumerate((real, rows))])
    both = both.sample(frac=1, random_state=2)
    return area(both[n:].copy(), both[:n].copy())


judge, names = (apart, sys.argv[2:]) if sys.argv[1] == "apart" else (area, sys.argv[1:])
first, *others = (pandas.read_csv(name, keep_default_na=False) for name in names)
for other in others:
    print(judge(first.copy(), other))
