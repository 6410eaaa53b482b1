"""How long each model answer takes beside `F.scaled_dot_product_attention`, in one table.

Both have the same projections, weights and inputs, and take turns; `checker/judge/yardstick.py`
says what the fused one is, and `checker/candidate/stopwatch.py` how time and memory are taken:
processor time on the CPU, events on CUDA, medians, after a warm-up. It is what `check --bench`
holds a submission against.

    python bench/kernels.py [--lengths 256 1024 2048] [--rounds 9] [--width 128] [--heads 4]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence

import torch
from attn_kata.checker.candidate.stopwatch import Stopwatch, keep_memory
from attn_kata.checker.judge.yardstick import others
from attn_kata.checker.report.timings import Against, against
from attn_kata.kata.catalogue import Kata, katas

HEAD = ("kata", "length", "model answer", "fused", "time", "quartiles", "memory")


def main() -> None:
    """Measure on the CPU and, where there is one, on CUDA, and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--lengths", type=int, nargs="+", default=[256, 1024, 2048])
    parser.add_argument("--rounds", type=int, default=9, help="laps of each side (default: 9)")
    parser.add_argument("--width", type=int, default=128, help="hidden_dim (default: 128)")
    parser.add_argument("--heads", type=int, default=4, help="heads, where many (default: 4)")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    keep_memory()
    # torch's profiler writes to the descriptor; what Python has to say still comes out.
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        name = torch.cuda.get_device_name() if device == "cuda" else "CPU, one thread"
        print(f"{name}, torch {torch.__version__}, float32, batch 1, width {asked.width}\n")
        print_row(HEAD)
        print_row(["---"] * len(HEAD))
        for row in rows(device, asked.lengths, asked.rounds, asked.width, asked.heads):
            print_row(row)
        print()


def rows(
    device: str, lengths: Sequence[int], rounds: int, width: int, heads: int
) -> Iterator[Sequence[str]]:
    """Measure row by row."""
    for kata in (kata for kata in katas() if kata.promised):
        for length in lengths:
            settings = {"hidden_dim": width, "num_heads": heads, "block_size": length, "dropout": 0}
            reference, fused, found = measured(kata, settings, device, rounds)
            yield (
                kata.id, str(length), f"{reference * 1000:.2f} ms", f"{fused * 1000:.2f} ms",
                f"{found.time:.1f} ×", f"{found.low:.1f} to {found.high:.1f}",
                "not known" if found.memory is None else f"{found.memory:.1f} ×",
            )  # fmt: skip


def measured(
    kata: Kata, worth: dict[str, int], device: str, rounds: int
) -> tuple[float, float, Against]:
    """Time both at one size: seconds of the model answer and the fused kernel, and the ratios.

    worth: what each setting of a constructor is; the length is that of the block.
    """
    shape = (1, worth["block_size"], worth["hidden_dim"])
    (function,) = kata.asked.functions
    assert function.module is not None
    inputs = {one.name: torch.randn(shape) for one in function.arguments if one.kind == "normal"}
    settings = {one.name: worth[one.name] for one in function.module.settings if not one.extra}
    calls = others(kata, settings, [{function.name: inputs}], device)
    watches = [Stopwatch(call, device) for call in calls.values()]
    for watch in watches:
        watch.settle()
    taken = [watch.peak()[0] for watch in watches]
    laps = [[watch.lap() for watch in watches] for _ in range(rounds)]
    reference, fused = (sorted(side) for side in zip(*laps, strict=True))
    mine, theirs = zip(*laps, strict=True)
    found = against(mine, theirs, taken[0], taken[1])
    return reference[rounds // 2], fused[rounds // 2], found


def print_row(cells: Sequence[str]) -> None:
    """Print one row of a Markdown table."""
    print("| " + " | ".join(cell.ljust(12) for cell in cells) + " |")


if __name__ == "__main__":
    main()
