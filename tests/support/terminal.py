"""A terminal with nobody at it: the command line in process, in one repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from click.testing import CliRunner

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from click.testing import Result
    from tests.support.repository import SampleRepository


@dataclass
class Terminal:
    """Runs `pressync …` in a repository; there is nobody at this terminal."""

    repository: SampleRepository
    environ: dict[str, str]

    def run(self, *arguments: str, exits: int = 0, said: bytes = b"") -> Result:
        """Run a command and hold it to its exit code; `said` is what it reads from standard input."""
        words = ["-C", str(self.repository.root), *arguments]
        result = CliRunner().invoke(pressync, words, env=self.environ, input=said)
        assert result.exit_code == exits, f"{arguments} ended with {result.exit_code}:\n{result.output}"
        return result

    def attempt(self, *arguments: str) -> str:
        """Run a command that may be refused, and give all that it says; a traceback is a fault."""
        result = CliRunner().invoke(pressync, ["-C", str(self.repository.root), *arguments], env=self.environ)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        return result.output
