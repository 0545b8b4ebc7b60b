"""The text of the GitHub workflow that `init` writes: plan pull requests, sync pushes, look for drift.

It has three jobs, so that each job has only the rights and secrets that it needs. A plan needs no secret, and
only the sync may write to the repository. With several sites, each job is a matrix over them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pressync.config.settings import FILE_NAME
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PATH = ".github/workflows/pressync.yml"
# It stands for the address of the Action until somebody fills it in.
UNKNOWN = "OWNER/pressync@COMMIT"
# "A matrix will generate a maximum of 256 jobs per workflow run" ("Running variations of jobs").
MOST_JOBS = 256

_ACTION = re.compile(r"[\w.-]+(?:/[\w.-]+)+@[\w./-]+|\./[\w./-]*", re.ASCII)
# YAML 1.1 or 1.2 reads these words as booleans or as null.
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_CHECKOUT = "actions/checkout@df4cb1c069e1874edd31b4311f1884172cec0e10 # v6.0.3"
_TEXT = """\
name: Site

on:
  pull_request:
  push:
    branches: @BRANCHES@
  schedule:
    - cron: "17 5 * * *"
  workflow_dispatch:

permissions: {}

jobs:
  plan:
    name: Plan
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-24.04
@MATRIX@    timeout-minutes: 10
    permissions:
      contents: read
      pull-requests: write # the plan as a comment
    concurrency:
      group: plan-${{ github.ref }}@EACH@
      cancel-in-progress: true
    steps:
      - uses: @CHECKOUT@
        with:
          fetch-depth: 0 # a sync deletes only what the history shows as removed
          persist-credentials: false
      - uses: @ACTION@
@WITH@
  sync:
    name: Sync
    if: github.event_name == 'push' || github.event_name == 'workflow_dispatch'
    runs-on: ubuntu-24.04
@MATRIX@    timeout-minutes: 60
    environment: @SITE@ # keep the password there, and let only this branch use it
    permissions:
      contents: write # the manifest is pushed
    concurrency:
      group: sync@EACH@ # one run at a time, and no run is cancelled
      cancel-in-progress: false
    steps:
      - uses: @CHECKOUT@
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: @ACTION@
@WITH@        env:
          PRESSYNC_PASSWORD: ${{ secrets.PRESSYNC_PASSWORD }}

  drift:
    name: Drift
    if: github.event_name == 'schedule'
    runs-on: ubuntu-24.04
@MATRIX@    timeout-minutes: 30
    environment: @SITE@
    permissions:
      contents: read
    concurrency:
      group: drift@EACH@
      cancel-in-progress: false
    steps:
      - uses: @CHECKOUT@
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: @ACTION@
        with:
          mode: drift
@INPUT@        env:
          PRESSYNC_PASSWORD: ${{ secrets.PRESSYNC_PASSWORD }}
"""


def text(action: str, *, sites: Mapping[str, str]) -> str:
    """Write the workflow; `uses:` names `action`, and `sites` gives the branch of each site.

    :raises ConfigError: `action` is not the address of an Action, or GitHub refuses a matrix of so many.
    """
    if not _ACTION.fullmatch(action):
        raise ConfigError(
            f"'{action}' is not the address of an Action",
            where="--workflow",
            todo="write it as for `uses:`, OWNER/NAME@COMMIT",
        )
    if len(sites) > MOST_JOBS:
        raise ConfigError(
            f"{FILE_NAME} has {len(sites)} sites, and GitHub runs at most {MOST_JOBS} jobs of a matrix",
            where="--workflow",
            todo="divide the sites among several settings files, or sync them in a loop over "
            "`pressync config --format json`",
        )
    values = {
        "CHECKOUT": _CHECKOUT,
        "ACTION": action,
        "BRANCHES": _list(dict.fromkeys(sites.values())),
        "SITE": _scalar(next(iter(sites))),
        **dict.fromkeys(("MATRIX", "EACH", "WITH", "INPUT"), ""),
    }
    if len(sites) > 1:
        site = "${{ matrix.site }}"
        values["SITE"] = site
        values["EACH"] = f"-{site}"
        values["INPUT"] = f"          site: {site}\n"
        values["WITH"] = f"        with:\n{values['INPUT']}"
        # One site that fails must not stop the others.
        values["MATRIX"] = (
            f"    strategy:\n      fail-fast: false\n      matrix:\n        site: {_list(sites)}\n"
        )
    return re.sub("@([A-Z]+)@", lambda match: values[match[1]], _TEXT)


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(map(_scalar, names))}]"


def _scalar(name: str) -> str:
    """Write a name in YAML; names that are not plain text are quoted, as JSON, which is valid YAML."""
    plain = re.fullmatch(r"[A-Za-z][\w./-]*", name, re.ASCII) and name.lower() not in _WORDS
    return name if plain else json.dumps(name)
