"""Puts generated parts into docs/verdicts.md between their markers. Knows nothing of what they say."""
import pathlib
import re
import sys

from verdicts.programs import ROOT

PAGE = ROOT / "docs/verdicts.md"


def markers(name):
    return f"<!-- verdicts: {name} -->", f"<!-- end of verdicts: {name} -->"


def placed(text, name, part):
    begin, end = markers(name)
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
    if not pattern.search(text):
        sys.exit(f"verdicts: the page has no place for {name}: add {begin} and {end}")
    return pattern.sub(lambda _: f"{begin}\n{part.strip()}\n{end}", text)


def update(parts, page=PAGE):
    """Replaces each part (name -> markdown) in the page."""
    text = pathlib.Path(page).read_text()
    for name, part in parts.items():
        text = placed(text, name, part)
    pathlib.Path(page).write_text(text)
