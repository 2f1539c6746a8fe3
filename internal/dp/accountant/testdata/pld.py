"""Writes pld.json: what another library says about the losses that the tests charge to a ledger.

    python3 -m venv env && env/bin/pip install dp-accounting==0.6.0
    env/bin/python internal/dp/accountant/testdata/pld.py > internal/dp/accountant/testdata/pld.json

The library discretises the privacy loss of each mechanism and composes by convolution. Rounded towards less loss
("low") its epsilon is below the true one at the given delta, rounded towards more ("high") above: nothing here uses
Renyi divergences, zCDP or Gaussian differential privacy, which is what the accountant composes by.
"""

import json
import math
import sys

from dp_accounting.pld import privacy_loss_distribution as pld

STEP = 1e-4  # of the privacy loss


def bounded_range(r, part, low):
    """The law of two points with likelihood ratios exp(part*r) and exp((part-1)*r): the worst of bounded range r is one of these."""
    s = (1 - part) * r  # ratios exp(-s), exp(r-s)
    q = math.expm1(s) / math.expm1(r)  # of the point of ratio exp(r-s) under the other law, so that the ratios average to 1
    upper, lower = {0: math.log(q) + r - s, 1: math.log1p(-q) - s}, {0: math.log(q), 1: math.log1p(-q)}
    options = dict(pessimistic_estimate=not low, value_discretization_interval=STEP, symmetric=False)
    return pld.from_two_probability_mass_functions(lower, upper, **options)


def losses(event, low):
    options = dict(pessimistic_estimate=not low, value_discretization_interval=STEP, use_connect_dots=False)
    kind = event["kind"]
    if kind == "gaussian":
        return pld.from_gaussian_mechanism(math.sqrt(event["variance"]), sensitivity=math.sqrt(event["l2squared"]), **options)
    if kind == "discrete_gaussian":
        return pld.from_discrete_gaussian_mechanism(math.sqrt(event["variance"]), sensitivity=1, **options)
    if kind == "discrete_laplace":
        return pld.from_discrete_laplace_mechanism(1 / event["scale"], sensitivity=1, **options)
    return bounded_range(event["r"], event["part"], low)


def epsilon(events, delta, low):
    whole = None
    for e in events:
        d = losses(e, low).self_compose(e["count"])
        whole = d if whole is None else whole.compose(d)
    return whole.get_epsilon_for_delta(delta)


def gaussian(variance, count, l2squared=1):
    return dict(kind="gaussian", variance=variance, l2squared=l2squared, count=count)


def discrete(variance, count):
    return dict(kind="discrete_gaussian", variance=variance, count=count)


def laplace(scale, count):
    return dict(kind="discrete_laplace", scale=scale, count=count)


def selection(r, part, count):
    return dict(kind="exponential", r=r, part=part, count=count)


RUNS = [
    [gaussian(1, 1)],
    [gaussian(16, 1)],
    [gaussian(400, 1)],
    [gaussian(400, 1, 2)],
    [gaussian(100, 10)],
    [gaussian(9, 1), gaussian(25, 2), gaussian(900, 40)],
    [discrete(1, 1)],
    [discrete(4, 5)],
    [discrete(49, 20)],
    [laplace(1, 1)],
    [laplace(2, 3)],
    [laplace(10, 40)],
    [laplace(40, 300)],
    [discrete(49, 4), laplace(12, 10)],
    [selection(0.25, 0.5, 1)],
    [selection(0.5, 0.5, 10)],
    [selection(0.5, 0.3, 10)],
    [selection(0.12, 0.5, 200)],
    [selection(0.12, 0.7, 200)],
    [selection(0.25, 0.5, 30), discrete(36, 3)],
]

cases = []
for run in RUNS:
    for delta in (1e-3, 1e-6, 1e-9):
        cases.append(dict(events=run, delta=delta, low=epsilon(run, delta, True), high=epsilon(run, delta, False)))
        print(cases[-1], file=sys.stderr)

source = dict(library="dp-accounting 0.6.0 (PyPI)", script="pld.py", step=STEP)
json.dump(dict(source=source, cases=cases), sys.stdout, indent=1)
print()
