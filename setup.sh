#!/bin/sh
# Makes the one environment for program, policy pack and tests: .venv from requirements.txt, hashes checked.
# Usage: setup.sh VENV; PYTHON names the interpreter. Nothing is written outside VENV and uv's own cache.
set -eu
venv=$1
python=${PYTHON:-python3}

fail() {
    echo "setup: $1" >&2
    exit 1
}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "given $("$python" --version 2>&1 || echo "no $python"); allowed: Python 3.11 or newer. Change: install it, or make PYTHON=python3.12"

echo "setup: making $venv (about a minute the first time)"
if command -v uv >/dev/null 2>&1; then
    uv=uv
else
    # uv itself comes from PyPI, into an environment of its own inside .venv-uv's place in the cache-free tree.
    "$python" -m venv "$venv.uv" || fail "python -m venv failed; install the venv module of $python"
    "$venv.uv/bin/python" -m pip install --quiet --disable-pip-version-check uv ||
        fail "uv could not be had from PyPI. Change: set PIP_INDEX_URL to an index you reach, or put uv on PATH"
    uv="$venv.uv/bin/uv"
fi
"$uv" --no-config venv --quiet --clear --python "$python" "$venv" || fail "uv could not make $venv"
"$uv" --no-config pip sync --quiet --python "$venv" requirements.txt ||
    fail "the packages of requirements.txt could not be had. Change: set UV_DEFAULT_INDEX to an index you reach"
"$uv" --no-config pip install --quiet --python "$venv" --no-deps --no-build-isolation --editable . ||
    fail "the project itself could not be installed into $venv"
