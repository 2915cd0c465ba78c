"""The parts of the page: each runs what it needs and gives markdown."""
import pathlib
import tempfile

from verdicts import methods, plots, programs, schedule, tables
from verdicts.figures import Score


def compared(classify):
    """Words of each method -> how to run it."""
    return {"leakhunt": methods.ours(classify), "reference": methods.reference,
            "published rules": methods.naive(), "published, `Alloc an err=` no OOM": methods.naive("--lenient"),
            **{words: methods.baseline(name) for name, words in methods.BASELINES.items()}}


def scores_of(chosen, folders):
    truths = methods.all_truths(folders)
    return {name: Score(truths, judged) for name, judged in methods.judge_all(chosen, folders).items()}


def differing(ours, naive):
    """Series in which our published rules say another class than those of the benchmark."""
    return sorted(key for key in naive.verdicts if ours.verdicts[key]["verdict"] != naive.verdicts[key]["verdict"])


class Labelled:
    """The benchmark over its seeds: all methods, the floors, the steps left out one by one."""

    def __init__(self, built, folders, words):
        self.built, self.folders, self.words = built, folders, words
        self.scores = scores_of(compared(built.classify), folders)
        self.ours = self.scores["leakhunt"]
        self.reference, self.naive = self.scores["reference"], self.scores["published rules"]

    def figures(self):
        literal = scores_of({"p": methods.published(self.built.classify)}, self.folders)["p"]
        apart = differing(literal, self.naive)
        same = (f"`--rules published` says what the benchmark's own published rules say in all {len(literal.truths)} windows."
                if not apart else f"`--rules published` differs from the benchmark's own in {len(apart)} windows: {apart[:5]}.")
        return "\n".join([f"{self.words}. In brackets the 95 % interval: Wilson for shares and, by way of them, F1; order "
                          "statistics for the median; Poisson for counts.", "",
                          tables.floors(self.ours, self.reference, self.naive), tables.counts(self.ours), "", same])

    def side_by_side(self):
        return tables.methods(self.scores, set(methods.BASELINES.values()))

    def families(self):
        three = {"leakhunt": self.ours, "reference": self.reference, "published": self.naive}
        return tables.families(three)

    def ablation(self):
        names = methods.steps(self.built.classify)
        without = scores_of({n: methods.ours(self.built.classify, "--without", n) for n in names}, self.folders)
        return ("The same windows with one step of the method left out at a time, the worst first. The last column counts "
                "windows that become right and wrong, with the p of that by chance (exact sign test).\n\n"
                + tables.ablation(self.ours, without))


def unseen(built, folder, words):
    """Families nobody tuned to, on one seed."""
    chosen = {"leakhunt": methods.ours(built.classify), "reference": methods.reference, "published rules": methods.naive()}
    scores = scores_of(chosen, [folder])
    short = {"leakhunt": scores["leakhunt"], "reference": scores["reference"], "published": scores["published rules"]}
    ours = scores["leakhunt"]
    figures = tables.floors(ours, scores["reference"], scores["published rules"], with_floors=False)
    return "\n".join([words, "", figures, tables.counts(ours), "", tables.families(short)])


def scheduled(built, seed, per_family, days):
    """The replayed schedule, on as many folders as there are cores to look at them."""
    with tempfile.TemporaryDirectory() as work:
        halves = [per_family - per_family // 2, per_family // 2]
        folders = programs.side_by_side([
            lambda n=n, count=count: schedule.make(pathlib.Path(work) / str(n), f"{seed}-{n}", count, days)
            for n, count in enumerate(halves) if count])
        replays = schedule.replay(built, folders)
    return schedule.page(replays, days), replays


def pictures(built, folder):
    with tempfile.TemporaryDirectory() as work:
        return plots.make(built.ctl, work, folder)
