"""The reader of executable docs pages."""

from __future__ import annotations

import pytest

from tests.docs.pages import examples

PAGE = """# Title

```yaml file=a.yaml
a: 1
```

```console
$ aj show
```

```yaml file=b.yaml home=none run
b: 2
```

```yaml result
c: 3
```

```text problems
b.yaml:1 some.code
```

```yaml file=a.yaml
d: 4
```

## second

```yaml file=e.yaml
e: 5
```
"""


def test_examples_are_files_then_outcomes() -> None:
    first, second, third = examples(PAGE)
    assert first.files == {"a.yaml": "a: 1\n", "b.yaml": "b: 2\n"}
    assert first.options == {"home": "none", "run": ""}
    assert (first.heading, first.line) == ("Title", 3)
    assert (first.result, first.problems) == ("c: 3\n", ["b.yaml:1 some.code"])
    assert second.files == {"a.yaml": "d: 4\n"}
    assert (third.heading, third.files, third.result) == ("second", {"e.yaml": "e: 5\n"}, None)


def test_an_outcome_needs_files() -> None:
    with pytest.raises(ValueError, match="without files"):
        list(examples("# T\n\n```yaml result\na: 1\n```\n"))
