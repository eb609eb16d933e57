#!/usr/bin/env bash
# Runs clang-tidy over our sources, or over the files given. Takes minutes, so it
# is not among the tests.
#
# usage: tests/style/tidy.sh [FILE.cc...]
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly BUILD=build/dev

deploy/install_packages.sh build test lint
cmake --preset dev -B "$BUILD"
# The generated headers, without which nothing can be read.
cmake --build "$BUILD" --target posenc_proto
if [[ $# == 0 ]]; then
  mapfile -t files < <(find server client/src client/cli -name '*.cc' | sort)
  set -- "${files[@]}"
fi
printf '%s\0' "$@" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$BUILD"
echo "clang-tidy finds nothing in $# files."
