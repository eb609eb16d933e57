#!/usr/bin/env python3
"""Plants breaches of the layers, and sees that each is found."""

import pathlib
import tempfile
import unittest

import check_layers

# A tree that breaks no rule.
SOUND = {
    "server/main.cc": [
        "spdlog/spdlog.h",
        "server/config.h",
        "server/transport/grpc_server.h",
    ],
    "server/config.h": ["server/base/limits.h"],
    "server/transport/grpc_server.h": [
        "grpcpp/server.h",
        "posenc/v1/encoding.pb.h",
        "spdlog/spdlog.h",
        "server/service/engine.h",
        "server/base/tensor.h",
    ],
    "server/service/engine.h": ["server/core/payload.h"],
    "server/core/payload.h": ["server/core/formats/npy.h"],
    "server/core/formats/npy.h": ["server/core/payload.h"],
    "server/devices/device.h": ["server/kernels/kernels.h"],
    "server/kernels/kernels.h": ["hwy/highway.h", "server/base/tensor.h"],
    "server/base/tensor.h": ["absl/status/status.h"],
    "client/include/posenc/client.h": ["posenc/tensor.h"],
    "client/src/client.cc": [
        "posenc/client.h",
        "client/src/channel.h",
        "google/protobuf/message.h",
    ],
    "client/cli/main.cc": ["posenc/client.h", "client/cli/session.h"],
}

# Each file and header break exactly one rule.
PLANTED = [
    ("server/base/tensor.h", "server/kernels/kernels.h", "may not include"),
    ("server/kernels/kernels.h", "server/devices/device.h", "may not include"),
    ("server/devices/device.h", "server/core/payload.h", "may not include"),
    ("server/core/formats/npy.h", "server/service/x.h", "may not include"),
    ("server/service/engine.h", "server/transport/x.h", "may not include"),
    ("server/transport/x.cc", "server/config.h", "the top of server/"),
    ("server/misc/x.h", "server/base/tensor.h", "none of the layers"),
    ("server/core/payload.h", "server/misc/x.h", "none of the layers"),
    ("server/service/engine.h", "posenc/v1/error.pb.h", "gRPC and protobuf"),
    ("server/service/engine.h", "grpcpp/grpcpp.h", "gRPC and protobuf"),
    ("server/main.cc", "grpc/grpc.h", "gRPC and protobuf"),
    ("server/core/payload.h", "google/protobuf/any.h", "gRPC and protobuf"),
    ("server/core/payload.h", "spdlog/spdlog.h", "spdlog"),
    ("server/config.cc", "spdlog/spdlog.h", "spdlog"),
    ("server/main.cc", "client/src/channel.h", "share only proto/"),
    ("client/src/client.cc", "server/base/tensor.h", "share only proto/"),
    ("client/cli/main.cc", "posenc/v1/error.pb.h", "gRPC and protobuf"),
    ("client/cli/main.cc", "client/src/channel.h", "only the library"),
    ("client/cli/main.cc", "client/include/posenc/client.h", "public headers"),
    ("client/src/client.cc", "client/cli/session.h", "only the command"),
    ("client/src/client.cc", "spdlog/spdlog.h", "does not log"),
    ("client/include/posenc/client.h", "grpcpp/channel.h", "gRPC and protobuf"),
    ("client/include/posenc/client.h", "client/src/channel.h", "only the library"),
    ("client/quickstart/main.cc", "client/src/channel.h", "only the library"),
    ("server/core/x.cc", "payload.h", "named from the root"),
    ("server/core/x.cc", "../transport/grpc_server.h", "without '..'"),
]


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path, headers in SOUND.items():
            for header in headers:
                self.include(path, header)

    def include(self, path, header):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(f'#include "{header}"\n')

    def test_a_sound_tree_has_no_breach(self):
        self.assertEqual(list(check_layers.breaches(self.root)), [])

    def test_brackets_and_spaces_hide_nothing(self):
        file = self.root / "server/core/payload.h"
        file.write_text("int x;\n #  include <grpcpp/channel.h>\n")
        [breach] = check_layers.breaches(self.root)
        self.assertTrue(breach.startswith("server/core/payload.h:2: "), breach)

    def test_a_comment_is_no_include(self):
        file = self.root / "server/core/payload.h"
        file.write_text("// #include <grpcpp/channel.h>\n")
        self.assertEqual(list(check_layers.breaches(self.root)), [])


def planted_test(path, header, why):
    def test(self):
        self.include(path, header)
        [breach] = check_layers.breaches(self.root)
        self.assertRegex(breach, rf"^{path}:\d+: includes {header}: .*{why}")

    return test


for number, planted in enumerate(PLANTED):
    setattr(CheckLayersTest, f"test_planted_{number:02}", planted_test(*planted))


if __name__ == "__main__":
    unittest.main()
