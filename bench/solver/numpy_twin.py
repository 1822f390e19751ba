"""Algorithm 1 in NumPy, literally and on the second moment: python3 numpy_twin.py FOLDER LAMBDA EPSILON ITERATIONS.

FOLDER holds x.f64 and others.f64 (rows of float64) and shape.txt (n, others, dim). Prints "name seconds checksum" lines.
"""
import sys
import time

import numpy as np

folder, lam, eps, iterations = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
n, others, dim = (int(word) for word in open(folder + "/shape.txt").read().split())
X = np.fromfile(folder + "/x.f64").reshape(n, dim)
Xt = np.fromfile(folder + "/others.f64").reshape(others, dim)
ALPHA, LAMBDA_D = 0.5, 0.01


def solve(G, B, Bt):
    a, b = np.ones(n), np.ones(n)
    for _ in range(iterations):
        joint = lam / np.sqrt(a + b + eps)
        Z = np.linalg.solve(G + np.diag(lam / np.sqrt(a + eps) + joint), B)
        Zt = np.linalg.solve(ALPHA * G + np.diag(lam / np.sqrt(b + eps) + joint), Bt)
        a, b = (Z * Z).sum(1), (Zt * Zt).sum(1)
    return np.sqrt(a + b)


def literal():
    G = X @ X.T
    return solve(G, (1 - LAMBDA_D) * G, (ALPHA - LAMBDA_D) * (X @ Xt.T))


moment = Xt.T @ Xt


def reduced():
    G = X @ X.T
    values, vectors = np.linalg.eigh(X @ moment @ X.T)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return solve(G, (1 - LAMBDA_D) * G, (ALPHA - LAMBDA_D) * root)


for name, run in (("literal", literal), ("reduced", reduced)):
    start = time.process_time()
    scores = run()
    print(name, time.process_time() - start, float(scores.sum()))
