#!/usr/bin/env bash
# Checks that the README's table of profiles is what the server knows.
#
# usage: tests/style/readme_profiles.sh PROFILE_TABLE README [--write]
#
# PROFILE_TABLE is the built program that prints the table. --write puts its
# table into the README, between the two comments that mark its place.
set -euo pipefail

program=$1
readme=$2
begin='<!-- profiles: written by tests/style/readme_profiles.sh -->'
end='<!-- end of profiles -->'

fail() {
  echo "readme_profiles.sh: $*" >&2
  exit 1
}

grep -qxF "$begin" "$readme" || fail "$readme has no line '$begin'"
grep -qxF "$end" "$readme" || fail "$readme has no line '$end'"

wanted=$(mktemp)
trap 'rm -f "$wanted"' EXIT
{
  sed "\|^$begin\$|q" "$readme"
  "$program"
  sed -n "\|^$end\$|,\$p" "$readme"
} >"$wanted"

if [[ ${3:-} == --write ]]; then
  cat "$wanted" >"$readme"
elif ! diff -u "$readme" "$wanted"; then
  fail "the table of profiles is out of date; run" \
    "tests/style/readme_profiles.sh $program README.md --write"
fi
