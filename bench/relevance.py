"""`python -m bench.relevance`: learn memkit/codegraph/query/code_search.py anew.

Weights are fitted on three repositories and measured on the fourth, in turn, so that the printed
figures are of repositories that the weights have not seen; the printed table is then fitted on
all of them and scaled to log-odds. No weight may fall below 0. The table is reviewed and put in
place by hand.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from memkit.codegraph.query.code_search import WEIGHTS, CodeSearch

from . import commits
from .__main__ import data_folder
from .command_line import folder, leave
from .commits import METRICS, Repository
from .learning import Asked, fit_chances, fit_ranking
from .scoring import Ranking

# `source` is the same for every file of the corpus.
NAMES = tuple(name for name in WEIGHTS if name != "source")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print how the fit does on unseen repositories, then the table."""
    parser = argparse.ArgumentParser("python -m bench.relevance", description=__doc__)
    parser.add_argument("--data", type=folder, help="folder with the sets, one folder each")
    data = data_folder(parser.parse_args(arguments).data)
    asked: dict[str, list[Asked]] = {}
    for fold, repository in enumerate(commits.repositories(data / "commits")):
        asked[repository.name] = _asked(repository, fold)
    if len(asked) < 2:
        leave(f"skipped: {len(asked)} repositories in {data / 'commits'}; one is to be unseen")
    whole = Ranking()
    for name, unseen in asked.items():
        weights = _fitted([one for other in asked if other != name for one in asked[other]])
        ranking = Ranking()
        for one in unseen:
            order = np.argsort(-(one.columns @ weights), kind="stable")
            for into in (ranking, whole):
                into.add([one.names[at] for at in order], one.gold)
        print(f"unseen {name}:", *(f"{metric} {ranking.value(metric):.3f}" for metric in METRICS))
    print("unseen, all:", *(f"{metric} {whole.value(metric):.3f}" for metric in METRICS))
    _print_table([one for found in asked.values() for one in found])


def _asked(repository: Repository, fold: int) -> list[Asked]:
    """Return the features for every commit whose subject says anything."""
    found = []
    with commits.indexed(repository) as kit:
        code_search = CodeSearch(kit._store)
        for commit in repository.commits:
            evaluation = code_search.evaluate(commit.subject)
            if evaluation is None:
                continue
            paths = evaluation.corpus.paths
            kept = [at for at, path in enumerate(paths) if path in repository.corpus]
            columns = np.stack([evaluation.columns[name][kept] for name in NAMES], axis=1)
            names = tuple(paths[at] for at in kept)
            found.append(
                Asked(
                    part=repository.name,
                    fold=str(fold),
                    category="",
                    columns=columns.astype(np.float64)[None],
                    relevant=np.array([name in commit.files for name in names]),
                    names=names,
                    gold=commit.files,
                )
            )
    return found


def _fitted(asked: Sequence[Asked]) -> Any:
    return fit_ranking(asked, [1.0] * len(asked), np.ones(len(NAMES), dtype=bool))


def _print_table(asked: Sequence[Asked]) -> None:
    weights = _fitted(asked)
    scores = np.concatenate([one.best(weights)[0] for one in asked])
    relevant = np.concatenate([one.relevant for one in asked]).astype(np.float64)
    rows = np.stack([scores, np.ones_like(scores)], axis=1)
    scale, base = fit_chances(rows, relevant, np.ones_like(relevant), np.zeros(2, dtype=bool))
    print(f"BASE = {base:.2f}")
    for name, weight in zip(NAMES, weights, strict=True):
        print(f'    "{name}": {weight * scale:.3f},')


if __name__ == "__main__":
    main()
