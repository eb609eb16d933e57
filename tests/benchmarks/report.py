#!/usr/bin/env python3
"""Prints the figures of tests/benchmarks/run.sh as Markdown tables.

usage: report.py DIR    (the directory that run.sh wrote its JSON files to)
"""

import json
import pathlib
import sys


def google_benchmark(path):
    """Name -> (nanoseconds, counters): medians over the repetitions."""
    runs = json.loads(path.read_text())["benchmarks"]
    unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    return {
        run["run_name"].removesuffix("/real_time"): (
            run["real_time"] * unit[run["time_unit"]], run)
        for run in sorted(runs, key=lambda run: run["run_name"])
        if run.get("aggregate_name") == "median"
    }


def table(title, heads, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def gigabytes(run):
    return run["bytes_per_second"] / 1e9


def kernels(directory):
    runs = google_benchmark(directory / "kernel.json")
    memcpy = {name.split("/")[1]: gigabytes(run)
              for name, (_, run) in runs.items() if name.startswith("memcpy/")}
    rows = []
    for name, (_, run) in runs.items():
        if not name.startswith("kernel/"):
            continue
        _, target, types, op, regime, cut = name.split("/")
        rate = gigabytes(run)
        rows.append([target, types, op, regime, cut, f"{rate:.1f}",
                     f"{run['elements_per_second'] / 1e9:.2f}",
                     f"{rate / memcpy[regime]:.2f}"])
    table("Kernels: bytes of input, encoding and output; memcpy: "
          + ", ".join(f"{k} {v:.1f} GB/s" for k, v in memcpy.items()),
          ["target", "types", "op", "working set", "cut", "GB/s",
           "elements/ns", "/ memcpy"], rows)


def tables(directory):
    runs = google_benchmark(directory / "table.json")
    rows = []
    for name, (nanoseconds, run) in runs.items():
        kind, *rest = name.split("/")
        if kind == "memset":
            continue
        peer = runs.get("/".join(["memset", *rest[:2]]))
        ratio = f"{gigabytes(run) / gigabytes(peer[1]):.2f}" if peer else ""
        rows.append([name, f"{nanoseconds / 1e6:.2f}",
                     f"{run['ns_per_element']:.2f}", f"{gigabytes(run):.1f}",
                     ratio])
    table("Tables of doubles", ["built", "ms", "ns/element", "GB/s",
                                "/ memset"], rows)


def requests(directory):
    runs = google_benchmark(directory / "request.json")
    table("A request without a network", ["rows of 768 float32", "µs"],
          [[name.split("/")[1], f"{nanoseconds / 1e3:.1f}"]
           for name, (nanoseconds, _) in runs.items()])


def end_to_end(directory):
    rows = json.loads((directory / "end_to_end.json").read_text())["rows"]
    sections = {}
    for row in rows:
        heads = tuple(key for key in row if key not in ("section", "name"))
        sections.setdefault((row["section"], heads), []).append(row)
    for (section, heads), members in sections.items():
        table(f"End to end: {section}", ["", *heads],
              [[row["name"], *(f"{row[head]:.3g}" for head in heads)]
               for row in members])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    kernels(directory)
    tables(directory)
    requests(directory)
    end_to_end(directory)


if __name__ == "__main__":
    main()
