"""The JavaScript module answers in Node as protea does."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from conftest import MODELS

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")

SCRIPT = """
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const rows = JSON.parse(readFileSync("rows.json"));
const threw = row => { try { model.predict(row); return "" } catch (e) { return e.name + ": " + e.message } };
console.log(JSON.stringify({
  labels: rows.map(model.predict), probabilities: rows.map(model.probabilities), classes: model.classes,
  indices: rows.map(model.predictIndex), short: threw(rows[0].slice(1)), nan: threw(rows[0].map(() => NaN)),
}));
"""


@pytest.mark.parametrize("name", MODELS)
def test_answers(models, name):
    model = models(name)
    model.export("model.mjs", "--to", "js")
    (model.folder / "rows.json").write_text(json.dumps(model.x.tolist()))
    (model.folder / "ask.mjs").write_text(SCRIPT)
    done = subprocess.run(["node", "ask.mjs"], cwd=model.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    model.agrees(answers["labels"], np.array(answers["probabilities"]))
    assert [answers["classes"][i] for i in answers["indices"]] == answers["labels"]
    n = model.x.shape[1]
    assert answers["short"] == f"RangeError: expected {n} features, found {n - 1}"
    assert answers["nan"].endswith("is not a finite number")
    assert "export function predict(row: Row): string;" in (model.folder / "model.d.ts").read_text()
