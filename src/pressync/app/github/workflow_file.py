"""The GitHub workflow that a repository may begin with: plan pull requests, sync pushes, look for drift.

It must not know where it is written. What decided its shape: three jobs, so that none has a right or a
secret that it does not need: a plan needs no secret, and only the sync may write to the repository.
"""

from __future__ import annotations

import json
import re

from pressync.model.errors import ConfigError

PATH = ".github/workflows/pressync.yml"
# For whoever does not say where the Action is.
UNKNOWN = "OWNER/pressync@COMMIT"

_ACTION = re.compile(r"[\w.-]+(?:/[\w.-]+)+@[\w./-]+|\./[\w./-]*", re.ASCII)
# What YAML, old or new, takes for something else than text.
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_CHECKOUT = "actions/checkout@df4cb1c069e1874edd31b4311f1884172cec0e10 # v6.0.3"
_TEXT = """\
name: Site

on:
  pull_request:
  push:
    branches: [@BRANCH@]
  schedule:
    - cron: "17 5 * * *"
  workflow_dispatch:

permissions: {}

jobs:
  plan:
    name: Plan
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    permissions:
      contents: read
      pull-requests: write # the plan as a comment
    concurrency:
      group: plan-${{ github.ref }}
      cancel-in-progress: true
    steps:
      - uses: @CHECKOUT@
        with:
          fetch-depth: 0 # the history is what witnesses a deletion
          persist-credentials: false
      - uses: @ACTION@

  sync:
    name: Sync
    if: github.event_name == 'push' || github.event_name == 'workflow_dispatch'
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    environment: @SITE@ # keep the password there, and let only this branch use it
    permissions:
      contents: write # the manifest is pushed
    concurrency:
      group: sync # one run at a time, and none is cut off
      cancel-in-progress: false
    steps:
      - uses: @CHECKOUT@
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: @ACTION@
        env:
          PRESSYNC_PASSWORD: ${{ secrets.PRESSYNC_PASSWORD }}

  drift:
    name: Drift
    if: github.event_name == 'schedule'
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    environment: @SITE@
    permissions:
      contents: read
    concurrency:
      group: drift
      cancel-in-progress: false
    steps:
      - uses: @CHECKOUT@
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: @ACTION@
        with:
          mode: drift
        env:
          PRESSYNC_PASSWORD: ${{ secrets.PRESSYNC_PASSWORD }}
"""


def text(action: str, *, branch: str, site: str) -> str:
    """Write the workflow; `action` is what `uses:` names, `branch` the one that `site` is synced from.

    :raises ConfigError: `action` is no address of an Action.
    """
    if not _ACTION.fullmatch(action):
        raise ConfigError(
            f"'{action}' is no Action", where="--workflow", todo="name it as OWNER/NAME@COMMIT, for `uses:`"
        )
    values = {"CHECKOUT": _CHECKOUT, "ACTION": action, "BRANCH": _scalar(branch), "SITE": _scalar(site)}
    return re.sub("@([A-Z]+)@", lambda found: values[found[1]], _TEXT)


def _scalar(name: str) -> str:
    """Write a name in YAML; a string of JSON is one of YAML, for names that would be something else."""
    plain = re.fullmatch(r"[A-Za-z][\w./-]*", name, re.ASCII) and name.lower() not in _WORDS
    return name if plain else json.dumps(name)
