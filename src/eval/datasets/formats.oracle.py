# python3 src/eval/datasets/formats.oracle.py > src/eval/datasets/formats.oracle.json     NumPy 2, SciPy 1.17; then prettier
# Small files as SciPy and NumPy write them, with what is in them: the oracle of mat5.test.ts and npy.test.ts.
import base64
import io
import json

import numpy as np
from numpy.lib import format as npy
from scipy.io import savemat


def mat(compressed):
    held = {
        "labels": np.array([[2, 1], [5, 1], [9, 1]], dtype=np.uint8),
        "wide": np.array([[1.5, -2.25, 1e300]]),
        "signed": np.array([[-1, 70000], [2, -70000]], dtype=np.int32),
        "halfs": np.array([[0.5], [0.25]], dtype=np.float32),
        "long": np.array([[-(2**40)]], dtype=np.int64),
        "word": "base jump",
        "none": np.zeros((0, 2)),
        "cells": np.array([["kk", np.array([[7.0]])]], dtype=object),
    }
    stream = io.BytesIO()
    savemat(stream, held, do_compression=compressed)
    # The header carries the date; the reader does not look at it, and without it the file is the same every time.
    content = bytearray(stream.getvalue())
    content[0:116] = b"MATLAB 5.0 MAT-file".ljust(116)
    numbers = {
        name: {"dims": list(array.shape), "values": [float(value) for value in array.flatten(order="F")]}
        for name, array in held.items()
        if isinstance(array, np.ndarray) and array.dtype != object
    }
    return {"compressed": compressed, "base64": base64.b64encode(bytes(content)).decode(), "numbers": numbers}


def array(dtype, fortran, version):
    values = np.array([[0.0, -0.0, 1.0, -2.5], [65504.0, 2.0**-14, 2.0**-24, 1 / 3], [0.1, 3.0, -1e-3, 512.0]])
    values = values.astype(dtype)
    values = np.asfortranarray(values) if fortran else np.ascontiguousarray(values)
    stream = io.BytesIO()
    npy.write_array(stream, values, version=version)
    return {
        "descr": values.dtype.str,
        "fortran": fortran,
        "version": list(version),
        "base64": base64.b64encode(stream.getvalue()).decode(),
        "rows": values.astype(np.float64).tolist(),
    }


print(
    json.dumps(
        {
            "mat5": [mat(False), mat(True)],
            "npy": [
                array(dtype, fortran, (1 + place % 3, 0))
                for place, dtype in enumerate(("<f2", ">f2", "<f4", ">f4", "<f8", ">f8"))
                for fortran in (False, True)
            ],
        },
        indent=1,
    )
)
