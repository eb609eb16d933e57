#!/bin/bash
# Installs the client from a build tree, builds client/quickstart against what
# was installed, and runs it against a server if there is one.
#
#   package_test.sh SOURCE_DIR BUILD_DIR SANITIZERS [SERVER_BINARY]
#
# SANITIZERS is what the build tree was built with, as in -fsanitize=, or "".
set -euo pipefail

source_dir=$1
build_dir=$2
sanitizers=$3
server=${4:-}

work=$(mktemp -d)
server_pid=
cleanup() {
  if [[ -n $server_pid ]]; then
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT

cmake --install "$build_dir" --component client --prefix "$work/prefix" \
  >"$work/install.log"

# A user has neither the source tree nor the build tree. What points there would
# be found here, and nowhere else.
if grep -rF -e "$source_dir" -e "$build_dir" "$work"/prefix/lib*/cmake \
  "$work"/prefix/lib*/*/cmake 2>/dev/null; then
  echo "the installed package refers to the tree it was built from" >&2
  exit 1
fi

flags=()
if [[ -n $sanitizers ]]; then
  flags+=("-DCMAKE_CXX_FLAGS=-fsanitize=$sanitizers")
fi
cp -r "$source_dir/client/quickstart" "$work/quickstart"
cmake -G Ninja -S "$work/quickstart" -B "$work/build" \
  -DCMAKE_PREFIX_PATH="$work/prefix" "${flags[@]}"
cmake --build "$work/build"

if [[ -z $server ]]; then
  echo "no server binary: the quickstart is built, but not run"
  exit 0
fi

"$server" --port 0 --port-file "$work/port" &
server_pid=$!
for ((i = 0; i < 600; ++i)); do
  [[ -s $work/port ]] && break
  kill -0 "$server_pid"
  sleep 0.1
done
output=$("$work/build/quickstart" "127.0.0.1:$(cat "$work/port")")
echo "$output"
# Each embedding is 0.5; row 1 of the encoding starts with sin 1 and cos 1.
grep -qF "output[1] = 1.34147 1.0403" <<<"$output"
grep -qF "encoding[1] = 0.841471 0.540302" <<<"$output"
