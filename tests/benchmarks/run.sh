#!/usr/bin/env bash
# Builds posenc in release mode and measures it: the kernels, the building of
# tables, a request without a network, and the server end to end beside raw gRPC
# peers. Ends with a table of all figures; takes about 15 minutes on 2 cores.
#
# usage: tests/benchmarks/run.sh [--quick] [--out DIR]
#
#   --quick    fewer rounds: a look, not a measurement (about 5 minutes)
#   --out DIR  where the JSON files go (default: build/benchmarks)
#
# Exit status: 0, or 1 if something could not be built or measured.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

rounds=11
min_time=0.05
out=build/benchmarks
while [[ $# -gt 0 ]]; do
  case $1 in
    --quick)
      rounds=3
      min_time=0.02
      shift
      ;;
    --out)
      [[ $# -ge 2 ]] || fail "--out needs a directory"
      out=$2
      shift 2
      ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
      exit 0
      ;;
    *)
      fail "unknown argument '$1'; see --help"
      ;;
  esac
done

say() {
  printf '\n==== %s\n' "$*"
}

say "Building"
deploy/install_packages.sh build test
cmake --preset release >/dev/null
cmake --build --preset release --parallel "$(nproc)" --target benchmarks
mkdir -p "$out"

load=$(cut -d ' ' -f 1 /proc/loadavg)
say "Load before the run: $load; every figure is best read as a ratio"

for name in kernel table request; do
  say "$name"
  "build/release/tests/${name}_benchmark" \
    --benchmark_min_time="$min_time" --benchmark_repetitions=3 \
    --benchmark_enable_random_interleaving=true \
    --benchmark_out="$out/$name.json" --benchmark_out_format=json \
    >"$out/$name.log" 2>&1 || fail "${name}_benchmark failed; see $out/$name.log"
  echo "done; the figures are in $out/$name.json"
done

say "end to end, $rounds rounds"
build/release/tests/end_to_end_benchmark --rounds "$rounds" \
  --json "$out/end_to_end.json"

say "All figures (medians)"
python3 tests/benchmarks/report.py "$out"
