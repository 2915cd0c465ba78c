"""95 % intervals of counted things. Standard library only."""
import math

Z = 1.959964


def wilson(hits, of):
    """Of a share (Wilson 1927)."""
    if not of:
        return 0.0, 1.0
    share, square = hits / of, Z * Z / of
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / of + square / (4 * of))
    return middle - half, middle + half


def f1(hits, false, missed):
    """Of F1 = 2q/(1+q), where q = hits/(hits+false+missed) is a share."""
    low, high = wilson(hits, hits + false + missed)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def poisson(count):
    """Of the mean behind a count (Garwood 1936), by bisection."""
    def at_most(mean, k):
        return sum(math.exp(i * math.log(mean) - mean - math.lgamma(i + 1)) for i in range(k + 1))

    def solve(falls_below, k):
        low, high = 1e-9, 10.0 * count + 20
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(middle, k) > falls_below else (low, middle)
        return low
    return (solve(0.975, count - 1) if count else 0.0), solve(0.025, count)


def median(values):
    """Of a median, from the order statistics (binomial); with the median itself."""
    ordered = sorted(values)
    n = len(ordered)
    if not n:
        return math.nan, math.nan, math.nan
    half = Z * math.sqrt(n) / 2
    low, high = max(0, math.floor(n / 2 - half)), min(n - 1, math.ceil(n / 2 + half))
    middle = ordered[n // 2] if n % 2 else (ordered[n // 2 - 1] + ordered[n // 2]) / 2
    return middle, ordered[low], ordered[high]


def paired(gained, lost):
    """Two-sided exact sign test (McNemar) of what one method has right and the other wrong."""
    n = gained + lost
    if not n:
        return 1.0
    tail = sum(math.comb(n, k) for k in range(min(gained, lost) + 1)) / 2 ** n
    return min(1.0, 2 * tail)
