"""Prints the area under the ROC curve, on the first CSV file, of a classifier of the last column trained on each of the others."""

import sys

import pandas
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score


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


test, *trains = (pandas.read_csv(name, keep_default_na=False) for name in sys.argv[1:])
for train in trains:
    print(area(test.copy(), train))
