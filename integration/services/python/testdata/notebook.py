"""Runs the cells of a notebook in turn, as a kernel does, and prints what each one shows: python notebook.py FILE."""

import ast
import json
import sys

import matplotlib

matplotlib.use("Agg")  # pictures without a screen
names: dict[str, object] = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    lines = ast.parse("".join(cell["source"]))
    last = lines.body.pop()
    exec(compile(lines, "cell", "exec"), names)
    shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    html = getattr(shown, "_repr_html_", lambda: None)()
    print(f"{type(shown).__name__}: {len(html or '')} letters of HTML; {shown!r}"[:300].replace("\n", " "))
print("pictures:", [[bar.get_label() for bar in figure.axes[0].containers] for figure in map(matplotlib.pyplot.figure, matplotlib.pyplot.get_fignums())])
