"""ONNX files are valid, and onnxruntime answers as protea does: every row, for every metric, step and decision."""

import numpy as np
import onnx
import onnxruntime
import pytest

from conftest import MODELS


@pytest.mark.parametrize("name", MODELS)
def test_answers(models, name):
    model = models(name)
    path = model.export("model.onnx", "--to", "onnx")
    graph = onnx.load(path)
    onnx.checker.check_model(graph, full_check=True)
    assert (graph.ir_version, [(o.domain, o.version) for o in graph.opset_import]) == (8, [("", 13)])
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert [o.name for o in session.get_outputs()] == ["label", "probabilities"]
    labels, probabilities = session.run(None, {"X": model.x})
    model.agrees(list(labels), probabilities)
    # The batch dimension is free.
    one, _ = session.run(None, {"X": model.x[:1]})
    assert one.shape == (1,) and one[0] == labels[0]


def test_of_several_equal_distances_the_first_wins(models, tmp_path):
    from conftest import protea
    # Two prototypes in the same place, of classes b and a in this order, and one elsewhere.
    (tmp_path / "t.csv").write_text("x,y,kind\n0,0,b\n1,1,a\n0,0,a\n1,1,b\n")
    protea(tmp_path, "fit", "t.csv", "--label", "kind", "-m", "knn", "--scale", "raw", "-o", "model")
    protea(tmp_path, "export", "model", "--to", "onnx", "-o", "t.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "t.onnx"))
    labels, _ = session.run(None, {"X": np.array([[0, 0], [1, 1], [0.5, 0.5]], dtype=np.float32)})
    (tmp_path / "q.csv").write_text("x,y\n0,0\n1,1\n0.5,0.5\n")
    assert list(labels) == protea(tmp_path, "predict", "model", "q.csv").split()[1:]
