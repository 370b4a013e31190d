# Microseconds of a query, then the class of each row of rows.bin.
import json
import sys
import time

try:
    import numpy
    import onnxruntime
except ImportError as missing:
    sys.exit(f"{missing}; pip install onnxruntime")
classes = {name: i for i, name in enumerate(json.load(open("classes.json")))}
session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
features = session.get_inputs()[0].shape[1]
x = numpy.fromfile("rows.bin", dtype=numpy.KIND).reshape(-1, features)
start = time.perf_counter()
labels = session.run(["label"], {"X": x})[0]
print(1e6 * (time.perf_counter() - start) / len(x))
print("\n".join(str(classes[label]) for label in labels))
