"""Writes pickled.oracle.json: weights files made by Python's own pickle and zipfile and by NumPy, base64.

PyTorch is not needed. torch.save hands its work to the pickle module; the few classes its pickles name are
stood in for by empty ones of the same name, and the steps around them follow the published format.

    python3 src/features/weights/pickled.oracle.py
"""

import base64
import collections
import io
import json
import pathlib
import pickle
import struct
import sys
import types
import zipfile

import numpy as np

torch = types.ModuleType("torch")
utils = types.ModuleType("torch._utils")
sys.modules.update({"torch": torch, "torch._utils": utils})
NUMPY = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8"}


def storage_class(name):
    made = type(name, (), {"__init__": lambda self, values: setattr(self, "values", values)})
    made.__module__ = "torch"
    setattr(torch, name, made)
    return made


CLASSES = {np.dtype(code).str: storage_class(name) for name, code in NUMPY.items()}


def _rebuild_tensor_v2(*args):
    raise NotImplementedError


_rebuild_tensor_v2.__module__ = "torch._utils"
_rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
utils._rebuild_tensor_v2 = _rebuild_tensor_v2


class Tensor:
    def __init__(self, storage, offset, size, stride):
        self.parts = (storage, offset, size, stride)

    def __reduce_ex__(self, protocol):
        return _rebuild_tensor_v2, (*self.parts, False, collections.OrderedDict())


def storage_of(values):
    return CLASSES[values.dtype.str](values.ravel())


def whole(values):
    strides = tuple(step // values.itemsize for step in values.strides)
    return Tensor(storage_of(values), 0, values.shape, strides)


def pickled(value, storages, with_view):
    class Pickler(pickle.Pickler):
        def persistent_id(self, item):
            if type(item) not in CLASSES.values():
                return None
            key = storages.setdefault(id(item), (str(94000 + 16 * len(storages)) if with_view else str(len(storages)), item))[0]
            tag = ("storage", type(item), key, "cpu", len(item.values))
            return (*tag, None) if with_view else tag

    file = io.BytesIO()
    Pickler(file, protocol=2).dump(value)
    return file.getvalue()


def legacy(value):
    storages = {}
    info = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    file = b"".join(pickle.dumps(part, protocol=2) for part in (0x1950A86A20F9469CFC6C, 1001, info))
    file += pickled(value, storages, True)
    by_key = dict(storages.values())
    file += pickle.dumps(sorted(by_key), protocol=2)
    for key in sorted(by_key):
        values = by_key[key].values
        file += struct.pack("<q", len(values)) + values.tobytes()
    return file


def archive(value):
    storages = {}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as made:
        def entry(name, content):
            info = zipfile.ZipInfo("archive/" + name)
            # torch's writer aligns values to 64 bytes with an extra field "FB".
            padding = -(file.tell() + 30 + len(info.filename) + 4) % 64
            info.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
            with made.open(info, "w", force_zip64=False) as out:
                out.write(content)

        entry("data.pkl", pickled(value, storages, False))
        entry("byteorder", b"little")
        for key, item in sorted(storages.values(), key=lambda pair: pair[0]):
            entry("data/" + key, item.values.tobytes())
        entry("version", b"3\n")
    return file.getvalue()


def numbers(count, dtype="<f4"):
    return (np.arange(count) * 0.5 - 1.25).astype(dtype)


shared = storage_of(numbers(24))
state = collections.OrderedDict(
    [
        ("plain.weight", whole(numbers(12).reshape(3, 4))),
        ("turned.weight", Tensor(shared, 2, (4, 5), (1, 4))),
        ("part.weight", Tensor(shared, 20, (4,), (1,))),
        ("half.weight", whole(numbers(6, "<f2").reshape(2, 3))),
        ("double.bias", whole(numbers(3, "<f8"))),
        ("steps", whole(np.array([7], "<i8"))),
    ]
)
state._metadata = collections.OrderedDict([("", {"version": 1})])
expected = {
    "plain.weight": numbers(12).reshape(3, 4),
    "turned.weight": np.lib.stride_tricks.as_strided(numbers(24)[2:], (4, 5), (4, 16)),
    "part.weight": numbers(24)[20:],
    "half.weight": numbers(6, "<f2").reshape(2, 3),
    "double.bias": numbers(3, "<f8"),
    "steps": np.array([7], "<i8"),
}
checkpoint = {"epoch": 3, "best": np.float64(0.5), "state_dict": state, "lr": [0.1, 0.01]}

arrays = {
    "a": numbers(6).reshape(2, 3),
    "b": np.asfortranarray(numbers(6).reshape(2, 3)),
    "c": numbers(4, "<f8"),
    "d": numbers(2, "<f2"),
}


def text(file):
    return base64.b64encode(file).decode()


def shown(values):
    return {name: {"shape": list(each.shape), "values": each.astype(float).ravel().tolist()} for name, each in values.items()}


npy = io.BytesIO()
np.save(npy, numbers(24).reshape(1, 2, 3, 4))
record = {
    "python": sys.version.split()[0],
    "numpy": np.__version__,
    "torch": {
        "files": {"legacy": text(legacy(state)), "archive": text(archive(state)), "checkpoint": text(archive(checkpoint))},
        "expected": shown(expected),
    },
    "arrays": {
        "files": {f"protocol {p}": text(pickle.dumps(arrays, protocol=p)) for p in (2, 3, 4, 5)},
        "expected": shown(arrays),
    },
    "npy": {"file": text(npy.getvalue()), "values": numbers(24).tolist()},
    "hostile": text(pickle.dumps({"conv1.weight": print}, protocol=2)),
}
pathlib.Path(__file__).with_suffix(".json").write_text(json.dumps(record, indent=2) + "\n")
