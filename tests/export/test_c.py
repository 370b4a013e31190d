"""C headers compile without a warning as C99 and C++, run clean under sanitizers, and answer as protea does."""

import shutil
import subprocess

import numpy as np
import pytest

from conftest import MODELS, refused
from test_arrays import answer, read_json

pytestmark = pytest.mark.skipif(not shutil.which("gcc") or not shutil.which("g++"), reason="gcc and g++ are not installed")

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]
MAIN = r"""
#define MODEL_IMPLEMENTATION
#define MODEL_PROBABILITIES
#include "%s"
#include <stdio.h>

int main(void)
{
    static REAL x[MODEL_FEATURES], p[MODEL_CLASSES];
    while (fread(x, sizeof x, 1, stdin) == 1) {
        model_probabilities(x, p);
        printf("%%s", model_class_names[model_predict(x)]);
        for (int c = 0; c < MODEL_CLASSES; c++)
            printf("\t%%.9g", (double)p[c]);
        printf("\n");
    }
    return 0;
}
"""


def build(model, header, compiler="gcc", standard="-std=c99", flags=()):
    """A program around a header."""
    quantised = "int" in header
    kind = "double" if model.dtype == np.float64 and not quantised else "float"
    source = model.folder / f"{header}.{'c' if compiler == 'gcc' else 'cpp'}"
    source.write_text((MAIN % header).replace("REAL", kind))
    program = model.folder / f"{header}.{compiler}.out"
    command = [compiler, standard, *WARNINGS, *flags, str(source), "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return program


def run(model, program, dtype=None):
    """Labels and probabilities of a program."""
    x = model.x.astype(dtype or model.dtype)
    done = subprocess.run([str(program)], input=x.tobytes(), capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done.stderr
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    return [line[0] for line in lines], np.array([[float(v) for v in line[1:]] for line in lines])


@pytest.mark.parametrize("name", MODELS)
def test_answers(models, name):
    model = models(name)
    header = model.export("model.h", "--to", "c", "--name", "model").name
    checked = build(model, header, flags=["-fsanitize=undefined", "-fno-sanitize-recover"])
    model.agrees(*run(model, checked))


@pytest.mark.parametrize("name", ["letter", "satimage", "members", "hog", "epnn"])
def test_it_is_c_plus_plus_too(models, name):
    model = models(name)
    header = model.export("model.h", "--to", "c", "--name", "model").name
    model.agrees(*run(model, build(model, header, "g++", "-std=c++11")))


def test_several_files_may_include_it(models):
    """One file has the definitions, another only the declarations."""
    model = models("kmeans")
    model.export("model.h", "--to", "c", "--name", "model")
    (model.folder / "a.c").write_text('#define MODEL_IMPLEMENTATION\n#include "model.h"\n')
    (model.folder / "b.c").write_text(
        '#include "model.h"\nint main(void) { float x[MODEL_FEATURES] = { 0 }; return model_predict(x) < 0; }\n')
    subprocess.run(["gcc", "-std=c99", *WARNINGS, "a.c", "b.c", "-o", "ab"], cwd=model.folder, check=True)
    subprocess.run(["./ab"], cwd=model.folder, check=True)
    # The class alone needs no mathematical library.
    assert "#include <math.h>" not in (model.folder / "model.h").read_text().split("MODEL_PROBABILITIES\n\n#include")[0]


ROUNDED = ["kmeans", "5-np", "soft", "diagonal", "linear", "members", "pnn", "epnn", "pca", "unit", "f64", "letter", "satimage"]


@pytest.mark.parametrize("bits", ["int8", "int16"])
@pytest.mark.parametrize("name", ROUNDED)
def test_whole_numbers(models, name, bits):
    """Quantised headers differ from the model by little, and are clean under sanitizers."""
    model = models(name)
    header = model.export(f"{bits}.h", "--to", "c", "--quantize", bits, "--name", "model").name
    program = build(model, header, flags=["-fsanitize=undefined", "-fno-sanitize-recover"])
    labels, _ = run(model, program, np.float32)
    # Votes over whole numbers are exact: the same bits as NumPy's.
    plan, arrays = read_json(model.export(f"{bits}.json", "--to", "json", "--quantize", bits))
    expected, _ = answer(plan["ops"], arrays, len(plan["classes"]), model.x)
    kinds = [op["op"] for op in plan["ops"]]
    if "vote" in kinds and not {"unit", "piecewise-linear", "smooth-clip"} & set(kinds):
        assert labels == [plan["classes"][c] for c in expected], (name, bits)
    same = np.mean([a == b for a, b in zip(labels, model.labels)])
    assert same >= (0.9 if bits == "int8" else 0.97), (name, bits, same)


def test_metrics_of_prototypes_are_not_quantised(models):
    error = refused(models("local").folder, "export", "model", "--to", "c", "--quantize", "int8", "-o", "x.h")
    assert "a metric that differs between prototypes, which cannot be quantised" in error
    assert not (models("local").folder / "x.h").exists()
