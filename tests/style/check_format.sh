#!/usr/bin/env bash
# Fails if a C++ file is not as clang-format writes it, and names those files.
# Exit status 77: there is no clang-format.
#
# usage: tests/style/check_format.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v clang-format >/dev/null || {
  echo "SKIPPED: clang-format is not installed" >&2
  exit 77
}
mapfile -t files < <(find server client tests -name '*.cc' -o -name '*.h' | sort)
[[ ${#files[@]} -gt 0 ]] || {
  echo "there are no C++ files" >&2
  exit 1
}
complaints=$(clang-format --dry-run -Werror "${files[@]}" 2>&1) && {
  echo "${#files[@]} files are formatted."
  exit 0
}
sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error: .*/\1/p' <<<"$complaints" | uniq
echo "These files are not formatted; clang-format -i FILE does it." >&2
exit 1
