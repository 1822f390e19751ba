# python3 src/eval/scoring.oracle.py > src/eval/scoring.oracle.json     SciPy 1.17, mpmath 1.3
# Reference values for the statistics and correlations. The power comes from mpmath's quadrature at 25 digits, because
# scipy.stats.nct (1.17.1) answers NaN for an eighth of this grid; where it answers, the two agree to 1e-15.
import json
import random

import mpmath as mp
from scipy import stats

mp.mp.dps = 25
LEVEL = 0.01


def tail(t, df):
    return mp.betainc(mp.mpf(df) / 2, 0.5, 0, mp.mpf(df) / (df + mp.mpf(t) ** 2), regularized=True)


def critical(df):
    start = stats.t.isf(LEVEL / 2, df)
    return mp.findroot(lambda t: tail(t, df) - mp.mpf("0.01"), start)


def power(shift, df):
    df, shift, c = mp.mpf(df), mp.mpf(shift), critical(df)
    scale = mp.log(2) + df / 2 * mp.log(df / 2) - mp.loggamma(df / 2)
    weight = lambda s: mp.exp(scale + (df - 1) * mp.log(s) - df * s * s / 2)
    inner = lambda s: weight(s) * (mp.ncdf(shift - c * s) + mp.ncdf(-shift - c * s))
    width = 1 / mp.sqrt(2 * df)
    ends = [1 + k * width for k in (-20, -12, -8, -4, -2, 0, 2, 4, 8, 12, 20)] + [shift / c * k for k in (0.8, 1, 1.2)]
    return mp.quad(inner, sorted({mp.mpf("1e-24"), *(mp.mpf(end) for end in ends if end > 0)}))


tails = [[df, t, float(tail(t, df))] for df in (1, 2, 3, 9, 49, 999) for t in (1e-4, 0.5, 1, 2.68, 5, 40, 1e3, 1e6)]
tails = [one for one in tails if one[2] > 1e-300]
powers = [[df, shift, float(power(shift, df))] for df in (1, 2, 4, 9, 49) for shift in (0, 0.01, 1, 2.5, 4, 10, 30, 100)]
criticals = [[df, float(critical(df))] for df in (1, 2, 3, 9, 49, 999)]

source = random.Random(1)
tests, correlations = [], []
for count in (2, 3, 5, 25, 51):
    subject = [round(source.random(), 3) for _ in range(count)]
    row = [round(value - source.gauss(0.05, 0.1), 3) for value in subject]
    result = stats.ttest_rel(subject, row)
    tests.append({"subject": subject, "row": row, "t": result.statistic, "p": result.pvalue, "df": int(result.df)})
for count, levels in ((5, 3), (12, 4), (40, 5), (40, 1000), (200, 5)):
    x = [source.randrange(levels) for _ in range(count)]
    y = [value + source.randrange(levels) for value in x]
    tau, rho = stats.kendalltau(x, y).statistic, stats.spearmanr(x, y).statistic
    correlations.append({"x": x, "y": y, "tau": tau, "rho": rho})

print(
    json.dumps(
        {
            "level": LEVEL,
            "tails": tails,
            "criticals": criticals,
            "powers": powers,
            "pairedTests": tests,
            "correlations": correlations,
        }
    )
)
