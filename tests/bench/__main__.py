"""``make bench``: the project's performance targets, measured and printed. Nothing here is asserted."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.bench.check import check, check_of_tenants
from tests.bench.child import environment
from tests.bench.previews import previews
from tests.bench.rules import judged_by_the_pack, linted
from tests.bench.simulated import simulated
from tests.bench.sizes import judged_and_rendered, previewed, priced, watched


def main() -> None:
    """Print every table, the quick ones first."""
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the first run.")
    print("Compiled modules are kept between runs, as Python does by default.")
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        print(
            "PYTHONDONTWRITEBYTECODE is set: outside this benchmark every run compiles the SDKs anew and takes longer."
        )
    with tempfile.TemporaryDirectory(prefix="gpu-platform-bench-") as made:
        folder = Path(made)
        variables = environment(folder / "bytecode")
        check(variables)
        check_of_tenants(folder, variables)
        judged_and_rendered()
        priced()
        watched()
        judged_by_the_pack()
        linted(folder, variables)
        previews(folder, variables)
        previewed(folder, variables)
        simulated(folder, variables)
    print(f"\nLoad {os.getloadavg()[0]:.1f} after the last run.")


if __name__ == "__main__":
    main()
