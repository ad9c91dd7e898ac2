"""Runs the code of README.md and the examples, each in an interpreter of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
README = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES = sorted((PACKAGE / "examples").glob("*.py"))
OUTPUTS = {
    "asyncio_gather.py": "8 pieces: 1, 2, 3, 4, 5, 6, 7, 8",
    "character.py": "tokens, confidence 1, 0 corrections",
    "fallback.py": "simulated answered: 1, 2, 3, 4, 5\nWithout a fallback: could not connect",
    "heal_text.py": "Person(name='Ada', age=36, tags=['math', 'poetry'])\nconfidence 0.",
    "hello.py": "Hello! I am the simulated model",
    "tools.py": "sunny in Lisbon for",
}


@pytest.mark.parametrize("source", README, ids=lambda source: source.split("\n")[0])
def test_the_code_of_the_readme_runs(run_program: Any, source: str) -> None:
    ended = run_program(source)
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout.strip() != ""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_runs(example: Path) -> None:
    ended = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=60)
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert OUTPUTS[example.name] in ended.stdout


def test_everything_public_has_a_docstring() -> None:
    import simple_agents

    for name in simple_agents.__all__:
        value: Any = getattr(simple_agents, name)
        if name in ("Message", "Messages"):
            continue
        assert value.__doc__, name
        methods = [each for each in vars(value) if not each.startswith("_") and callable(getattr(value, each))]
        assert [each for each in methods if not getattr(value, each).__doc__] == [], name
