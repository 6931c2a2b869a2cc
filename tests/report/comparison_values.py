# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/statistics/comparison.json: samples and what scipy, statsmodels and diptest say of them.

Needs scipy, statsmodels and diptest; run by hand. The versions stand in the file.
"""

import json
import pathlib

import diptest
import numpy
import scipy
import scipy.stats
import statsmodels
import statsmodels.stats.multitest


def floats(values):
    return [float(value) for value in values]


def mann_whitney(random):
    cases = []

    def add(name, a, b, method):
        test = scipy.stats.mannwhitneyu(a, b, alternative="two-sided", method=method, use_continuity=True)
        cases.append({"name": name, "a": floats(a), "b": floats(b), "exact": method == "exact",
                      "u": float(test.statistic), "p": float(test.pvalue)})

    for n, m in ((1, 1), (2, 3), (5, 5), (5, 8), (8, 5), (10, 30), (12, 12), (30, 30), (29, 17)):
        for shift in (0, 0.3, 1.5):
            add(f"{n} and {m}, shift {shift}", random.normal(0, 1, n), random.normal(shift, 1, m), "exact")
    add("apart", numpy.arange(10.0), numpy.arange(20.0, 35.0), "exact")
    for n, m in ((31, 31), (50, 20), (200, 150)):
        for shift in (0, 0.2, 1):
            add(f"{n} and {m}, shift {shift}", random.normal(0, 1, n), random.normal(shift, 1, m), "asymptotic")
    for n, m in ((5, 5), (8, 12), (30, 30), (100, 90)):
        for step in (0, 1):
            a = numpy.round(random.normal(10, 2, n))
            a[0] = 10
            b = numpy.round(random.normal(10 + step, 2, m))
            b[0] = 10
            add(f"ties, {n} and {m}, step {step}", a, b, "asymptotic")
    return cases


def holm(random):
    cases = []
    for count in (1, 2, 5, 40):
        for power in (1, 4):
            p = random.random(count) ** power
            adjusted = statsmodels.stats.multitest.multipletests(p, method="holm")[1]
            cases.append({"p": floats(p), "adjusted": floats(adjusted)})
    tied = [0.01, 0.01, 0.04, 0.03, 0.03]
    cases.append({"p": tied, "adjusted": floats(statsmodels.stats.multitest.multipletests(tied, method="holm")[1])})
    return cases


def trends(random):
    cases = []
    for name, samples in (("noise", random.normal(100, 3, 30)), ("rising", numpy.arange(25) + random.normal(100, 3, 25)),
                          ("falling", 100 - numpy.arange(60) * 0.2 + random.normal(0, 1, 60)),
                          ("ties", numpy.round(random.normal(50, 2, 40) + numpy.arange(40) * 0.1)),
                          ("even", random.normal(10, 1, 12))):
        n = len(samples)
        signs = [numpy.sign(samples[j] - samples[i]) for i in range(n) for j in range(i + 1, n)]
        s = float(sum(signs))
        counts = numpy.unique(samples, return_counts=True)[1]
        variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in counts)) / 18
        z = (abs(s) - 1) / variance**0.5 if s else 0
        slope = float(scipy.stats.theilslopes(samples, numpy.arange(n))[0])
        # S is Kendall's tau-b before it is scaled.
        tau = scipy.stats.kendalltau(numpy.arange(n), samples).statistic
        pairs = n * (n - 1) / 2
        tied = sum(t * (t - 1) / 2 for t in counts)
        assert abs(tau * (pairs * (pairs - tied)) ** 0.5 - s) < 1e-6
        cases.append({"name": name, "samples": floats(samples), "p": float(min(1, 2 * scipy.stats.norm.sf(z))), "part": slope * (n - 1) / float(numpy.median(samples))})
    return cases


def dips(random):
    cases = []
    for count in (5, 8, 20, 31, 64, 200):
        for name, samples in (("uniform", random.random(count)), ("normal", random.normal(0, 1, count)),
                              ("lognormal", random.lognormal(0, 1, count)),
                              ("two modes", numpy.concatenate([random.normal(0, 1, count // 2),
                                                               random.normal(6, 1, count - count // 2)])),
                              ("ties", numpy.round(random.normal(0, 2, count)))):
            cases.append({"name": f"{name} {count}", "samples": sorted(floats(samples)),
                          "dip": float(diptest.dipstat(samples, allow_zero=False))})
    return cases


def critical_dips(random):
    """The dip that 1 % of uniform samples exceed."""
    table = []
    for count in (20, 27, 40, 60, 90, 140, 300, 800, 2000):
        dips_of = [diptest.dipstat(random.random(count)) for _ in range(20000 if count <= 300 else 5000)]
        table.append({"count": count, "dip": float(numpy.quantile(dips_of, 0.99))})
    return table


def power_fits(random):
    fits = []
    for exponent, noise in ((1, 0.02), (2, 0.1), (-0.9, 0.05), (0.3, 0.4)):
        values = numpy.array([1, 2, 3, 4, 8, 16, 64.0])
        times = 5 * values**exponent * numpy.exp(random.normal(0, noise, len(values)))
        line = scipy.stats.linregress(numpy.log(values), numpy.log(times))
        fits.append({"values": floats(values), "times": floats(times), "exponent": float(line.slope),
                     "rSquared": float(line.rvalue**2)})
    return fits


def main():
    random = numpy.random.default_rng(21)
    values = {"numpy": numpy.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__,
              "diptest": diptest.__version__, "mannWhitney": mann_whitney(random), "holm": holm(random),
              "trends": trends(random), "dips": dips(random), "criticalDips": critical_dips(random),
              "powerFits": power_fits(random)}
    path = pathlib.Path(__file__).parents[1] / "data/statistics/comparison.json"
    path.write_text(json.dumps(values) + "\n")


if __name__ == "__main__":
    main()
