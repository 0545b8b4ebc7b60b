"""The packages of this environment as wheels again, so that the step that installs needs no network.

pip is real, and so are the files, their hashes and the build of the Action's own package. Only the place that
the wheels come from is a folder.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import shutil
import zipfile
from importlib import metadata
from pathlib import Path

from tests.system.action.runner import ROOT

LOCKED = ROOT / "requirements.txt"
# What the Action is built from.
_OF_THE_ACTION = ("action.yml", "pyproject.toml", "README.md", "AGENTS.md", "LICENSE")
_NAME = re.compile(r"^([a-z0-9.-]+)==([^ ]+)( ; sys_platform == 'win32')? \\$", re.MULTILINE)


def locked() -> dict[str, str]:
    """Read the locked list: package -> version, of those that Windows does not need alone."""
    return {name: version for name, version, windows in _NAME.findall(LOCKED.read_text()) if not windows}


def missing() -> list[str]:
    """Name the locked packages that this environment does not have in that version."""
    here = {
        each.metadata["Name"].lower().replace("_", "-"): each.version for each in metadata.distributions()
    }
    return [name for name, version in locked().items() if here.get(name) != version]


def action(folder: Path) -> Path:
    """Copy the Action, with a locked list of wheels that are beside it; give the path of its `action.yml`."""
    folder.mkdir()
    for name in _OF_THE_ACTION:
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
    # The wheel has pages of the guide.
    shutil.copytree(ROOT / "content/pages", folder / "content/pages")
    wheels = folder / "wheels"
    wheels.mkdir()
    rows = [f"--no-index\n--find-links {wheels}\n"]
    for name, version in locked().items():
        file = _wheel(metadata.distribution(name), wheels)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        rows.append(f"{name}=={version} --hash=sha256:{digest}\n")
    (folder / "requirements.txt").write_text("".join(rows), encoding="utf-8")
    return folder / "action.yml"


def _wheel(distribution: metadata.Distribution, folder: Path) -> Path:
    """Pack the files of a package that is installed, as its wheel had them."""
    tags = re.findall(r"^Tag: (.+)$", distribution.read_text("WHEEL") or "", re.MULTILINE)
    name = f"{distribution.metadata['Name'].replace('-', '_').replace('.', '_')}-{distribution.version}"
    # One tag says enough where the wheel was made for several.
    file = folder / f"{name}-{tags[0]}.whl"
    own = [each for each in distribution.files or [] if ".." not in each.parts and each.suffix != ".pyc"]
    (record,) = (each for each in own if each.name == "RECORD")
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    with zipfile.ZipFile(file, "w") as wheel:
        for each in own:
            if each == record or each.name in {"INSTALLER", "REQUESTED", "direct_url.json"}:
                continue
            data = Path(str(each.locate())).read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            writer.writerow([str(each), f"sha256={digest}", len(data)])
            wheel.writestr(str(each), data)
        writer.writerow([str(record), "", ""])
        wheel.writestr(str(record), rows.getvalue())
    return file
