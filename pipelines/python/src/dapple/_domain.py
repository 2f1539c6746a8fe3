"""Domains: what values each column can have, from public knowledge."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dapple import _program
from dapple._program import Error, Fault


class Column:
    """One column of a domain: each key of the domain file is an attribute.

    >>> domain = Domain({"privacy_id": "none", "columns": [{"name": "age", "type": "INT64", "min": 0, "max": 90, "fallback": 0}]})
    >>> domain.columns["age"].max = 110
    >>> domain.columns["age"]
    Column(name='age', type='INT64', min=0, max=110, fallback=0)
    """

    def __init__(self, keys: dict[str, Any]):
        self.__dict__["_keys"] = keys

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        return self._keys.get(key)

    def __setattr__(self, key: str, value: Any) -> None:
        self._keys[key] = value

    def __delattr__(self, key: str) -> None:
        self._keys.pop(key, None)

    def __repr__(self) -> str:
        return f"Column({', '.join(f'{k}={v!r}' for k, v in self._keys.items())})"


class Columns(Mapping[str, Column]):
    """The columns of a domain by name, in order."""

    def __init__(self, entries: list[dict[str, Any]]):
        self._entries = entries

    def __getitem__(self, name: str) -> Column:
        for entry in self._entries:
            if entry.get("name") == name:
                return Column(entry)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (entry["name"] for entry in self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __delitem__(self, name: str) -> None:
        self._entries[:] = [entry for entry in self._entries if entry.get("name") != name]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.values()))


class Domain:
    """A domain file: a dict of its keys, its text in YAML or JSON, or its path.

    `keys` is the file as a dict, `columns` its columns by name. Raises Error with the faults of a text or a file.

    >>> domain = Domain("privacy_id: none\\ncolumns:\\n  - {name: sex, type: STRING, values: [f, m], other: true}\\n")
    >>> domain.columns["sex"].values
    ['f', 'm']
    """

    keys: dict[str, Any]

    def __init__(self, domain: Mapping[str, Any] | str | os.PathLike[str] | Domain):
        if isinstance(domain, Domain):
            domain = domain.keys
        if isinstance(domain, Mapping):
            self.keys = json.loads(json.dumps(domain, default=str))
            return
        text = os.fspath(domain)
        with _program.workspace() as at:
            if isinstance(domain, os.PathLike) or "\n" not in text:
                path = os.path.abspath(text)
                if "://" not in text and not os.path.exists(path):
                    raise Error([Fault("domain", f"there is no file {text}", "give a path, or the text of a domain file")])
                path = text if "://" in text else path
            else:
                path = "domain.yaml"
                (at / path).write_text(text, encoding="utf-8")
            self.keys = json.loads(_program.run("check", [f"--domain={path}", "--json"], at), parse_float=_exact)

    @property
    def columns(self) -> Columns:
        return Columns(self.keys.setdefault("columns", []))

    @property
    def privacy_id(self) -> str | None:
        """The column that names people, or "none" if every row is another person."""
        return self.keys.get("privacy_id")

    @privacy_id.setter
    def privacy_id(self, name: str) -> None:
        self.keys["privacy_id"] = name

    def reviewed(self, *names: str) -> Domain:
        """Says that what was read off the table for these columns, or for all, is public: a release no longer repeats it."""
        derived = self.keys.get("derived_from_data", {})
        for name in names or list(derived):
            derived.pop(name, None)
        if not derived:
            self.keys.pop("derived_from_data", None)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the domain file, as JSON, which the program reads as YAML."""
        Path(path).write_text(self.text() + "\n", encoding="utf-8")

    def text(self) -> str:
        lines = [f"  {json.dumps(c, ensure_ascii=False)}" for c in self.keys.get("columns", [])]
        rest = {k: v for k, v in self.keys.items() if k != "columns"}
        body = "".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)},\n" for k, v in rest.items())
        return "{" + body + '"columns": [\n' + ",\n".join(lines) + "\n]}"

    def __repr__(self) -> str:
        return f"Domain(privacy_id={self.privacy_id!r}, columns={list(self.columns)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(str(c.get('name')))}</th><td>{html.escape(str(c.get('type')))}</td>"
            f"<td>{html.escape(', '.join(f'{k}: {v}' for k, v in c.items() if k not in ('name', 'type')))}</td></tr>"
            for c in self.keys.get("columns", []))
        return f"<p>privacy_id: {html.escape(str(self.privacy_id))}</p><table>{rows}</table>"


def _exact(text: str) -> float | str:
    """A number that a float does not hold stays a text, which domain files read as a number."""
    value = float(text)
    return value if json.loads(json.dumps(value)) == value and _digits(text) <= 15 else text


def _digits(text: str) -> int:
    return len(text.lower().partition("e")[0].replace(".", "").replace("-", "").strip("0"))
