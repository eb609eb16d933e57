#!/usr/bin/env python3
"""Cuts the rows that our sentences use out of the whole model.

make_cut.py MODEL.safetensors MINILM.json OUT_FOLDER

Writes OUT_FOLDER/model.safetensors, with the two tensors under the names and in
the order that the model has, and OUT_FOLDER/ids.json, whose token ids are rows
of the cut. Row 0 is the padding token's, as in the model.
"""

import json
import struct
import sys

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
POSITION_ROWS = 32


def read_tensors(path):
    """Rows of both tensors, as bytes."""
    rows = {}
    with open(path, "rb") as file:
        (header_bytes,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(header_bytes))
        for name in (POSITIONS, WORDS):
            count, width = header[name]["shape"]
            begin, _ = header[name]["data_offsets"]
            file.seek(8 + header_bytes + begin)
            rows[name] = [file.read(4 * width) for _ in range(count)]
    return rows


def write_tensors(path, tensors):
    header = {}
    end = 0
    for name, rows in tensors.items():
        begin, end = end, end + sum(map(len, rows))
        header[name] = {
            "dtype": "F32",
            "shape": [len(rows), len(rows[0]) // 4],
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for rows in tensors.values():
            file.write(b"".join(rows))


def main(model_path, facts_path, out_folder):
    with open(facts_path, encoding="utf-8") as file:
        sentences = json.load(file)["sentences"]
    used = sorted({0}.union(*(sentence["ids"] for sentence in sentences)))
    row_of = {token: row for row, token in enumerate(used)}
    rows = read_tensors(model_path)
    write_tensors(
        f"{out_folder}/model.safetensors",
        {
            POSITIONS: rows[POSITIONS][:POSITION_ROWS],
            WORDS: [rows[WORDS][token] for token in used],
        },
    )
    cut = {
        "model_ids": used,
        "sentences": [
            {
                "text": sentence["text"],
                "ids": [row_of[token] for token in sentence["ids"]],
            }
            for sentence in sentences
        ],
    }
    with open(f"{out_folder}/ids.json", "w", encoding="utf-8") as file:
        json.dump(cut, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
