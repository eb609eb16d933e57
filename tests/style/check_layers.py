#!/usr/bin/env python3
"""Fails if a file includes what its layer may not.

check_layers.py [ROOT]

The distribution's headers are on every target's path, and so is the whole tree:
the compiler would let any file include anything. The rules are in
server/README.md.
"""

import pathlib
import re
import sys

# A layer may include itself and what stands to the right of it.
LAYERS = ["transport", "service", "core", "devices", "kernels", "base"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
WIRE = re.compile(r"^(grpc|grpcpp|grpc\+\+|google/protobuf)/|\.pb\.h$")
LOGGING = re.compile(r"^(spdlog|fmt)/")
ROOTS = ("server/", "client/", "tests/")


def is_under(path, *folders):
    return any(path.startswith(folder + "/") for folder in folders)


def layer_of(path):
    """The layer that a path under server/ is in, or None for the top."""
    parts = path.split("/")
    if len(parts) > 2 and parts[0] == "server":
        return parts[1]
    return None


def check_server(path, header):
    layer = layer_of(path)
    if layer is not None and layer not in LAYERS:
        yield f"server/{layer} is none of the layers"
        return
    if is_under(header, "client"):
        yield "the server and the client share only proto/"
    if WIRE.search(header) and layer != "transport":
        yield "gRPC and protobuf are for server/transport alone"
    if LOGGING.search(header) and not (
        layer in ("transport", "service") or path == "server/main.cc"
    ):
        yield "spdlog is for server/main.cc, server/transport and server/service"
    if layer is None or not is_under(header, "server"):
        return
    included = layer_of(header)
    if included is None:
        yield f"{layer} may not include the top of server/"
    elif included not in LAYERS:
        yield f"server/{included} is none of the layers"
    elif LAYERS.index(included) < LAYERS.index(layer):
        yield f"{layer} may not include {included}"


def check_client(path, header):
    if is_under(header, "server"):
        yield "the server and the client share only proto/"
    if WIRE.search(header) and not is_under(path, "client/src"):
        yield "gRPC and protobuf are for client/src alone"
    if LOGGING.search(header):
        yield "the client does not log"
    if is_under(header, "client/cli") and not is_under(path, "client/cli"):
        yield "only the command may include client/cli"
    if is_under(header, "client/src") and not is_under(path, "client/src"):
        yield "only the library may include client/src"
    if is_under(header, "client/include"):
        yield 'public headers are included as "posenc/…"'


def check_spelling(root, path, quote, header):
    """A header of ours is named from the root, or the rules would miss it."""
    if ".." in header.split("/"):
        yield "a header is named from the root, without '..'"
    elif quote == '"' and not header.startswith(ROOTS):
        beside = root / pathlib.PurePosixPath(path).parent / header
        if beside.is_file():
            yield "a header is named from the root"


def breaches(root):
    """'FILE:LINE: includes HEADER: WHY' for all that is wrong under root."""
    files = sorted(
        file
        for folder in CHECKS
        for ending in ("*.h", "*.cc")
        for file in (root / folder).rglob(ending)
    )
    for file in files:
        path = file.relative_to(root).as_posix()
        check = CHECKS[path.split("/")[0]]
        lines = file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, header = match.groups()
            for why in (
                *check_spelling(root, path, quote, header),
                *check(path, header),
            ):
                yield f"{path}:{number}: includes {header}: {why}"


CHECKS = {"server": check_server, "client": check_client}


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else ".")
    for folder in CHECKS:
        if not (root / folder).is_dir():
            sys.exit(f"there is no {root / folder}")
    found = list(breaches(root))
    for breach in found:
        print(breach)
    if found:
        sys.exit(f"{len(found)} includes break the layers")


if __name__ == "__main__":
    main(sys.argv[1:])
