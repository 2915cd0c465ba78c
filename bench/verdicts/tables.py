"""Markdown tables of figures. Knows no file and runs nothing."""
import math

# name, how to read it, floor, how to show it
FLOORS = [
    ("precision", "precision", 0.985, "{:.3f}"),
    ("recall", "recall", 0.94, "{:.3f}"),
    ("F1", "f1", 0.965, "{:.3f}"),
    ("accuracy, 7 classes", "accuracy", 0.97, "{:.3f}"),
    ("slope error, median", "slope_error", 0.02, "{:.2%}"),
    ("coverage of the 95 % interval", "coverage", (0.92, 0.97), "{:.3f}"),
    ("leaks above the stated limit that were found", "found_above_limit", 0.98, "{:.4f}"),
    ("false alarms per device-month, one look", "false_per_month", 0.6, "{:.2f}"),
]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def shown(figure, form="{:.3f}"):
    if math.isnan(figure.value):
        return "-"
    return f"{form.format(figure.value)} [{form.format(figure.low)}, {form.format(figure.high)}]"


def meets(figure, floor):
    if isinstance(floor, tuple):
        return floor[0] <= figure.value <= floor[1]
    return figure.value >= floor if figure.better > 0 else figure.value <= floor


def floor_words(floor, better, form):
    if isinstance(floor, tuple):
        return f"{floor[0]} to {floor[1]}"
    return ("≥ " if better > 0 else "≤ ") + form.format(floor)


def unless_worse(name, ours, reference):
    """Whether ours is not worse by more than its interval; a coverage is the worse the further from 0.95."""
    if name == "coverage":
        further = abs(ours.value - 0.95) - abs(reference.value - 0.95)
        return not further > (ours.high - ours.low) / 2
    return ours.not_worse_than(reference)


def floors(ours, reference, published, with_floors=True):
    """The figures of the three; whether the first meets its floors and is not worse than the second."""
    rows = []
    for words, name, floor, form in FLOORS:
        mine, theirs, naive = (getattr(score, name) for score in (ours, reference, published))
        judged = [floor_words(floor, mine.better, form), "yes" if meets(mine, floor) else "**no**"] if with_floors else []
        rows.append([words, shown(mine, form), *judged, shown(theirs, form),
                     "yes" if unless_worse(name, mine, theirs) else "**no**", shown(naive, form)])
    head = ["figure", "leakhunt", *(["floor", "met"] if with_floors else []), "reference", "not worse than it",
            "published rules"]
    return table(head, rows)


def methods(scores, two_classes):
    """Words of the method -> Score, in the order of the rows; those of `two_classes` know a leak or none."""
    rows = [[words, shown(s.precision), shown(s.recall), shown(s.f1), "-" if words in two_classes else shown(s.accuracy),
             shown(s.false_per_month, "{:.2f}")] for words, s in scores.items()]
    return table(["method", "precision", "recall", "F1", "accuracy, 7 classes", "false alarms per device-month"], rows)


def rate(score, family):
    accused, of = score.families[family]
    return f"{accused / of:.2f}" if accused else "0"


def families(scores):
    """Recall of each family with a leak, false alarms of each without, for each method."""
    first = next(iter(scores.values()))
    leaking = {known["family"]: known["leak"] for known in first.truths.values()}
    out = []
    for leak, words in ((True, "with a leak: share found"), (False, "without: share accused")):
        rows = [[family, first.families[family][1], *(rate(s, family) for s in scores.values())]
                for family in leaking if leaking[family] == leak]
        out.append(table([words, "windows", *scores], rows))
    return "\n".join(out)


def ablation(whole, without):
    """`without`: step -> Score of the method that lacks it."""
    rows = [["nothing", shown(whole.precision), shown(whole.recall), shown(whole.f1), whole.false, whole.missed,
             f"{whole.accuracy.value:.3f}", f"{whole.slope_error.value:.2%}", f"{whole.coverage.value:.3f}", ""]]
    for step, score in sorted(without.items(), key=lambda item: item[1].f1.value):
        gained, lost, p = score.against(whole)
        rows.append([step, shown(score.precision), shown(score.recall), f"{shown(score.f1)}", score.false, score.missed,
                     f"{score.accuracy.value:.3f}", f"{score.slope_error.value:.2%}", f"{score.coverage.value:.3f}",
                     f"+{gained} −{lost}" + (f" (p {p:.2g})" if gained + lost else "")])
    return table(["left out", "precision", "recall", "F1", "false", "missed", "accuracy", "slope error", "coverage",
                  "windows it gains and loses"], rows)


def counts(score):
    missed, below = score.missed_below_limit()
    detectable = score.detectable
    return (f"{len(score.truths)} windows: {score.hits} leaks found, {score.missed} missed, {score.false} false alarms in "
            f"{score.calm_s / 86400 / 30:.1f} device-months without a leak. Of {len(detectable)} leaks above the minimum "
            f"detectable slope that was stated {sum(detectable)} were found; of the {missed} missed {below} lay below it.")


