"""Exports as files that appear whole or not at all."""

import os
import tempfile
from pathlib import Path

from .exceptions import ModelFileError, SettingError

#: Format of a file by its ending.
ENDINGS = {".onnx": "onnx", ".h": "c", ".bin": "rust", ".js": "js", ".json": "json", ".npz": "npz"}


def export(model, path, format, quantize):
    """Write the files of an export; those after the first have the same name and other endings."""
    path = Path(path)
    if format is None:
        format = ENDINGS.get(path.suffix)
    if format is None:
        raise SettingError(f"the ending of {path.name!r} tells no format; use {', '.join(ENDINGS)}, or give format=")
    files = model.export(format, path.stem, quantize)
    paths = [path, *(path.with_name(f"{path.stem}.{ending}") for ending, _ in files[1:])]
    for place, (_, content) in zip(paths, files):
        _write(place, content)
    return paths


def _write(path, content):
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.chmod(file.name, 0o666 & ~_umask())
        os.replace(file.name, path)
    except OSError as error:
        raise ModelFileError(f"{path}: could not be written: {error.strerror}") from error


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
