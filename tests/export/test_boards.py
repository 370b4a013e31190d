"""Quantised C headers answer on emulated boards as on this machine, bit for bit, and their size and instructions are counted.

A board whose compiler or emulator is missing is skipped with a message. With PROTEA_BOARDS=FILE the counts are written there.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from test_arrays import answer, read_json

BOARDS = Path(__file__).parent / "boards"
ARM = ["-mthumb", "-nostartfiles", "-T", str(BOARDS / "cortex_m.ld"), "-include", str(BOARDS / "cortex_m.h")]
QEMU = ["qemu-system-arm", "-nographic", "-monitor", "none", "-serial", "null", "-semihosting", "-icount", "shift=0", "-M"]
# Compiler, size program, emulator; ticks are instructions by a loop of known length, or cycles.
TARGETS = {
    "cortex-m0": ("arm-none-eabi", ["-mcpu=cortex-m0", *ARM], [*QEMU, "microbit", "-kernel"]),
    "cortex-m4": ("arm-none-eabi", ["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16", *ARM], [*QEMU, "mps2-an386", "-kernel"]),
    "cortex-m7": ("arm-none-eabi", ["-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-d16", *ARM], [*QEMU, "mps2-an500", "-kernel"]),
    "riscv64": ("riscv64-unknown-elf", ["-nostdlib", "-ffreestanding", "-mcmodel=medany", "-mno-relax", "-Wl,--no-relax", "-include", str(BOARDS / "riscv.h")], ["qemu-riscv64"]),
    "avr": ("avr", ["-mmcu=atmega328p", "-include", str(BOARDS / "avr.h")], ["simavr", "-m", "atmega328p", "-f", "16000000"]),
}
ROWS = {"avr": 50}


def program(model, target, prefix, flags, rows):
    """A program for the board, and the bytes that the model alone takes there."""
    folder = model.folder / target
    folder.mkdir()
    shutil.copy(model.folder / "int8.h", folder / "model.h")
    (folder / "board.h").write_text("/* Included by the command line. */\n")
    flash = "PROGMEM" if target == "avr" else ""
    numbers = ", ".join(f"{float(v)!r}f" for v in rows.ravel())
    (folder / "rows.h").write_text(f"#define ROWS {len(rows)}\nstatic const float rows[] {flash} = {{ {numbers} }};\n")
    (folder / "alone.c").write_text('#define MODEL_IMPLEMENTATION\n#include "model.h"\n')
    compiler = [f"{prefix}-gcc", "-std=gnu99", "-Os", "-Wall", "-Wextra", "-Werror", "-I", str(folder)]
    alone = [f for f in flags if f.startswith(("-m", "-f"))]
    subprocess.run([*compiler, *alone, "-c", "alone.c", "-o", "alone.o"], cwd=folder, check=True)
    text, data, *_ = subprocess.run([f"{prefix}-size", "alone.o"], cwd=folder, capture_output=True, text=True,
                                    check=True).stdout.splitlines()[1].split()
    subprocess.run([*compiler, *flags, str(BOARDS / "main.c"), "-o", "program.elf", "-lgcc"], cwd=folder, check=True)
    return folder / "program.elf", int(text) + int(data)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["letter", "satimage"])
def test_answers_bit_for_bit(models, name, target):
    prefix, flags, emulator = TARGETS[target]
    missing = [p for p in (f"{prefix}-gcc", emulator[0]) if not shutil.which(p)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    model = models(name)
    rows = model.x[:ROWS.get(target, 200)]
    model.export("int8.h", "--to", "c", "--quantize", "int8", "--name", "model")
    plan, arrays = read_json(model.export("int8.json", "--to", "json", "--quantize", "int8"))
    expected, _ = answer(plan["ops"], arrays, len(plan["classes"]), rows)
    path, size = program(model, target, prefix, flags, rows)
    done = subprocess.run([*emulator, str(path)], capture_output=True, text=True, timeout=120)
    out = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    found = [int(n) for n in re.findall(r"^(\d+)\.*\s*$", out, re.M)][:len(rows)]
    assert found == expected.tolist(), out[-500:]
    ticks, known = (int(n) for n in re.search(r"ticks (\d+)\.*\s+known (\d+)", out).groups())
    # The loop of known length has 200 000 instructions; an AVR counts cycles as they are, and RISC-V nothing.
    count = {"avr": ticks, "riscv64": None}.get(target) or (round(ticks * 200_000 / known) if known else None)
    record(name, target, size, count)


def record(name, target, size, count):
    unit = "cycles" if target == "avr" else "instructions"
    print(f"{name} on {target}: {size} bytes, {count} {unit} per query")
    if path := os.environ.get("PROTEA_BOARDS"):
        with open(path, "a") as out:
            out.write(json.dumps({"model": name, "target": target, "bytes": size, unit: count}) + "\n")
