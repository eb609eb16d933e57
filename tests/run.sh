#!/usr/bin/env bash
# Installs what is missing (Debian 12), configures, builds and tests posenc.
#
# usage: tests/run.sh [--preset release|dev|asan|tsan] [-- CTEST_ARGUMENT...]
#
# The default is release. asan runs the same tests with AddressSanitizer and
# UndefinedBehaviorSanitizer; tsan runs those of the label `concurrency` with
# ThreadSanitizer. release and dev build the benchmarks too, but do not run them
# (tests/benchmarks/run.sh does).
# Examples:
#
#   tests/run.sh
#   tests/run.sh --preset asan -- -R SafetensorsTest
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "run.sh: $*" >&2
  exit 2
}

preset=release
while [[ $# -gt 0 ]]; do
  case $1 in
    --preset)
      [[ $# -ge 2 ]] || fail "--preset needs a name"
      preset=$2
      shift 2
      ;;
    --)
      shift
      break
      ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
      exit 0
      ;;
    *)
      fail "unknown argument '$1'; ctest's own go behind --"
      ;;
  esac
done

targets=(all benchmarks)
selection=()
case $preset in
  release | dev) ;;
  asan)
    targets=(all)
    export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
    export UBSAN_OPTIONS=print_stacktrace=1
    ;;
  tsan)
    # Debian's gRPC, protobuf and Abseil are not built for ThreadSanitizer: what
    # they do among themselves, and what orders it, is not seen.
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1
    export TSAN_OPTIONS=$TSAN_OPTIONS:suppressions=$PWD/tests/support/tsan.supp
    targets=(concurrency_tests)
    selection=(-L '^concurrency$')
    ;;
  *)
    fail "there is no preset '$preset'; there are release, dev, asan and tsan"
    ;;
esac

deploy/install_packages.sh build test
cmake --preset "$preset"
cmake --build --preset "$preset" --target "${targets[@]}" --parallel "$(nproc)"
exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
  --parallel "$(nproc)" "${selection[@]}" "$@"
