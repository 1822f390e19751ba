"""
I work in Python: every shot of a topic with its times, evidence and vector, and the shot of another video it is most like.

    throughline score harbour-town --json shots.jsonl --tables tables
    python3 09-scores.py shots.jsonl

Needs nothing but Python 3.8. With NumPy, np.load("tables/vectors.npy") is all of rows_of.
"""
import array
import ast
import json
import struct
import sys
from fractions import Fraction


def rows_of(path):
    """The rows of an .npy file of 32-bit numbers."""
    with open(path, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00", "an .npy file of version 1.0"
        header = ast.literal_eval(file.read(struct.unpack("<H", file.read(2))[0]).decode("latin1"))
        assert header["descr"] == "<f4" and not header["fortran_order"]
        values = array.array("f", file.read())
    if sys.byteorder == "big":
        values.byteswap()
    count, width = header["shape"]
    assert len(values) == count * width
    return [values[i * width : (i + 1) * width] for i in range(count)]


def seconds(ticks, base):
    """A moment of the file, exactly."""
    return Fraction(ticks * base["num"], base["den"])


with sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], encoding="utf-8") as lines:
    shots = [json.loads(line) for line in lines]
assert shots and all(shot["schema"] == "score.1" for shot in shots)
assert [shot["row"] for shot in shots] == list(range(len(shots)))

vectors = rows_of(shots[0]["vector"]["file"]) if shots[0]["vector"] else None
for shot in shots:
    length = seconds(shot["range"]["end"] - shot["range"]["start"], shot["range"]["base"])
    assert abs(float(length) - (shot["seconds"]["end"] - shot["seconds"]["start"])) < 1e-6
    if not shot["chosen"]:
        continue
    evidence = shot["evidence"] or {}
    terms = ", ".join(f"{name} {value:+.1f}" for name, value in evidence.items())
    print(f"{shot['path']} at {shot['seconds']['start']:.2f} s, rank {shot['rank'] + 1}: {terms}")
    others = [other for other in shots if other["video"] != shot["video"]]
    if vectors and others:
        own = vectors[shot["vector"]["row"]]
        like, other = max((sum(a * b for a, b in zip(own, vectors[o["row"]])), -o["row"]) for o in others)
        assert -1.001 < like < 1.001, "vectors have length one"
        print(f"  most like {shots[-other]['path']} at {shots[-other]['seconds']['start']:.2f} s ({like:.2f})")
