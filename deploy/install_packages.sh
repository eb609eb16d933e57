#!/usr/bin/env bash
# Installs what is missing of the Debian 12 packages that posenc needs.
#
# usage: deploy/install_packages.sh SET...
#
#   build  to compile the server, the client library and the command
#   demo   what deploy/demo.sh needs beside that
#   test   what tests/run.sh needs beside `build`
#   lint   what tests/style/tidy.sh needs beside `test`
#
# Changes nothing when all of them are there. Else it needs root or sudo.
set -euo pipefail

fail() {
  echo "install_packages.sh: $*" >&2
  exit 1
}

packages_of() {
  case $1 in
    build)
      echo g++ cmake ninja-build protobuf-compiler protobuf-compiler-grpc \
        libprotobuf-dev libgrpc++-dev libabsl-dev libspdlog-dev libhwy-dev \
        libmpfr-dev librandom123-dev libcli11-dev nlohmann-json3-dev libpng-dev
      ;;
    demo)
      echo python3 python3-pip ca-certificates
      ;;
    test)
      echo libgtest-dev libgmock-dev libbenchmark-dev python3 clang-format \
        ccache
      ;;
    lint)
      echo clang-tidy
      ;;
    *)
      fail "there is no set '$1'; there are build, demo, test and lint"
      ;;
  esac
}

# The lines of dpkg's list that are installed, not those that were once.
is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" \
    2>/dev/null) == installed ]]
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@"
}

[[ $# -gt 0 ]] || fail "which set? build, demo, test or lint"
command -v dpkg-query apt-get >/dev/null ||
  fail "this is no Debian; install the packages named in this file by hand"

missing=()
for set in "$@"; do
  packages=$(packages_of "$set")
  for package in $packages; do
    is_installed "$package" || missing+=("$package")
  done
done
if [[ ${#missing[@]} == 0 ]]; then
  echo "All packages for '$*' are installed."
  exit 0
fi

echo "Installing for '$*': ${missing[*]}"
[[ $(id -u) == 0 ]] || command -v sudo >/dev/null ||
  fail "that needs root, and there is no sudo; run it as root once"
apt update || echo "apt-get update failed; going on with the old lists" >&2
apt install --yes --no-install-recommends "${missing[@]}" ||
  fail "apt-get could not install all of them; its reason stands above"
