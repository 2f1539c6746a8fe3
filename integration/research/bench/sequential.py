"""Makes rows in order by a program of others: python sequential.py PROGRAM DOMAIN TABLE ROWS writes as many people to ROWS as
TABLE has, and prints what it is as JSON. Pinned: mostlyai-engine 2.7.3, sdv 2.0.0, pyyaml; other versions are refused."""

import importlib.metadata
import json
import logging
import os
import sys
import tempfile
from pathlib import Path

import pandas
import yaml

MINUTES, NOISY, PLAIN = 30, 12, 4  # of training at most; epochs of MOSTLY with noise and without
BATCH, PART = 512, 32  # people a step with noise, and at once
FIT, DRAWN, EPOCHS = 600, 3000, 128  # people that PAR learns from and draws, passes: 128 is its default
PINNED = {"mostlyai-engine": "2.7.3", "sdv": "2.0.0"}
START = pandas.Timestamp("2000-01-01")  # day 0 of an order that is a whole number


def pinned(name):
    version = importlib.metadata.version(name)
    if version != PINNED[name]:
        sys.exit(f"{name} {version}: want {PINNED[name]}")
    return f"{name} {version}"


class Table:
    """The true rows, with what the domain file says of their columns."""

    def __init__(self, domain, name):
        d = yaml.safe_load(Path(domain).read_text())
        self.id, events = d["privacy_id"], d["events"]
        self.person, self.order = events["person"], events["order"]
        self.columns = {c["name"]: c for c in d["columns"]}
        self.rows = pandas.read_csv(name)
        self.header = list(self.rows.columns)
        self.numbers = [n for n, c in self.columns.items() if "min" in c and n not in [self.order] + self.person]
        whole = self.columns[self.order]["type"] == "INT64"
        self.rows[self.order] = START + pandas.to_timedelta(self.rows[self.order], "D") if whole else pandas.to_datetime(self.rows[self.order])

    def write(self, rows, name):
        rows, c = rows[self.header].copy(), self.columns[self.order]
        at = pandas.to_datetime(rows[self.order])
        if c["type"] == "INT64":
            rows[self.order] = (at - START).dt.days.clip(c["min"], c["max"])
        else:
            at = at.clip(pandas.Timestamp(c["min"]), pandas.Timestamp(c["max"])).dt.floor("h" if c.get("resolution") == "hour" else "min")
            rows[self.order] = at.dt.strftime("%Y-%m-%d" if c["type"] == "DATE" else "%Y-%m-%d %H:%M:%S")
        for n in self.numbers:
            c, x = self.columns[n], pandas.to_numeric(rows[n]).clip(self.columns[n]["min"], self.columns[n]["max"])
            rows[n] = x.round().astype(int) if c["type"] == "INT64" else x.round(2)
        rows.to_csv(name, index=False)


def noise(people, epsilon):
    """The multiplier that spends what values' ranges leave, 1 by default, in so many passes over the four fifths that are trained on."""
    from opacus.accountants.utils import get_noise_multiplier

    rate = BATCH / (people * 4 // 5)
    return round(get_noise_multiplier(target_epsilon=epsilon - 1, target_delta=1e-9, sample_rate=rate, steps=int(NOISY / rate) + 2, accountant="rdp") + .005, 2)


def mostly(t, epsilon):
    """TabularARGN: people are the context. Their columns are the true ones also in the rows that are drawn, which favours it."""
    from mostlyai.engine import TabularARGN
    from mostlyai.engine.domain import DifferentialPrivacyConfig

    version, people = pinned("mostlyai-engine"), t.rows[[t.id] + t.person].drop_duplicates(t.id)
    rows = t.rows[[c for c in t.header if c not in t.person]].copy()
    types = {c: "TABULAR_NUMERIC_AUTO" if c in t.numbers else "TABULAR_CATEGORICAL" for c in rows if c != t.id}
    types[t.order] = "TABULAR_DATETIME_RELATIVE"
    for c in types:
        if types[c] == "TABULAR_CATEGORICAL":
            rows[c] = rows[c].astype(str)
    private, size = None, {"max_epochs": NOISY if epsilon else PLAIN}
    if epsilon:
        private = DifferentialPrivacyConfig(max_epsilon=epsilon, delta=1e-9, noise_multiplier=noise(len(people), epsilon))
        size |= {"model": "MOSTLY_AI/Small", "batch_size": PART, "gradient_accumulation_steps": BATCH // PART}
    with tempfile.TemporaryDirectory() as work:
        model = TabularARGN(tgt_context_key=t.id, ctx_primary_key=t.id, ctx_data=people, tgt_encoding_types=types, max_training_time=MINUTES,
                            differential_privacy=private, workspace_dir=work, random_state=1, device="cpu", verbose=0, **size)
        model.fit(rows)
        steps = pandas.read_csv(next(Path(work).rglob("progress-messages.csv")))
        drawn = model.sample(ctx_data=people)
    drawn = drawn.merge(people, on=t.id)
    kept = steps[steps["is_checkpoint"] == 1].iloc[-1]
    print(steps.to_string(), file=sys.stderr)
    said = f"{steps['epoch'].max():.0f} epochs, kept {kept['epoch']:.0f}"
    if epsilon:
        said = f"Small, batch {BATCH}, noise {private.noise_multiplier}, " + said
    return drawn, version, said, float(kept["dp_eps"]) if epsilon else 0


def par(t):
    """PARSynthesizer, whose every epoch is one step over all people: it learns from a part of them, and draws fewer."""
    from sdv.metadata import Metadata
    from sdv.sequential import PARSynthesizer

    version, columns = pinned("sdv"), {}
    for c in t.header:
        columns[c] = {"sdtype": "numerical" if c in t.numbers or "min" in t.columns.get(c, {}) else "categorical"}
    columns[t.id] = {"sdtype": "id"}
    columns[t.order] = {"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M:%S"}
    rows = t.rows[t.rows[t.id].isin(t.rows[t.id].unique()[:FIT])].copy()
    rows[t.order] = rows[t.order].dt.strftime("%Y-%m-%d %H:%M:%S")
    for c in columns:
        if columns[c]["sdtype"] == "categorical":
            rows[c] = rows[c].astype(str)
    table = {"columns": columns, "sequence_key": t.id, "sequence_index": t.order}
    model = PARSynthesizer(Metadata.load_from_dict({"tables": {"rows": table}}), context_columns=t.person, epochs=EPOCHS, cuda=False)
    model.fit({"rows": rows})
    drawn = model.sample_sequences(num_sequences=DRAWN)["rows"]
    return drawn, version, f"{EPOCHS} epochs of {FIT} people, {DRAWN} drawn", 0


if __name__ == "__main__":
    program, domain, table, out = sys.argv[1:]
    logging.disable(logging.INFO)
    t = Table(domain, table)
    if program == "par":
        drawn, version, settings, spent = par(t)
    else:
        drawn, version, settings, spent = mostly(t, float(program.partition("-")[2] or 0))
    t.write(drawn, out)
    print(json.dumps({"Version": version, "Settings": settings, "Spent": spent}))
