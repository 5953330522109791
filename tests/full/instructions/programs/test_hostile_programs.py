"""Hostile programs: each is run as every program is, and again without the source check, so that neither wall leans on
the other. What must not happen: a file, a process, the network, output, waiting, a changed scene, a forged result."""

from __future__ import annotations

import copy
import resource

import pytest

from instructions.programs.running.sandbox import Sandbox, run_program
from instructions.programs.running.source_check import MAX_BYTES
from instructions.programs.running.values import ProgramError
from tests.support.cases import each_case

SCENE = [{"id": "lamp", "category": "lamp", "size": 1.5, "obb": {"center": [1.0, 2.0, 0.5]}}]
MARK = "HOSTILE-MARK"


def func(*lines: str, before: str = "") -> str:
    body = "\n".join(f"    {line}" for line in ("seen = metadata[0]", *lines))
    return f"{before}\ndef func(metadata):\n{body}\n"


# What must fail, whichever wall stops it.
FAILS = {
    "reads a file": func("return open('/etc/passwd').read()"),
    "writes a file": func("f = open('/tmp/hostile-mark', 'w')", "f.write('x')", "return 1"),
    "reads a file with pathlib": func("return pathlib.Path('/etc/passwd').read_text()", before="import pathlib"),
    "lists a folder": func("return os.listdir('/')", before="import os"),
    "reads the environment": func("return dict(os.environ)", before="import os"),
    "os.system": func("os.system('touch /tmp/hostile-mark')", "return 1", before="import os"),
    "subprocess": func("return subprocess.check_output(['id'])", before="import subprocess"),
    "fork": func("return os.fork()", before="import os"),
    "kill": func("os.kill(1, 9)", "return 1", before="import os"),
    "socket": func("return socket.create_connection(('127.0.0.1', 80))", before="import socket"),
    "urllib": func("return urllib.request.urlopen('http://127.0.0.1').read()", before="import urllib.request"),
    "ctypes": func("return ctypes.string_at(0)", before="import ctypes"),
    "multiprocessing": func("return multiprocessing.cpu_count()", before="import multiprocessing"),
    "threading": func("t = threading.Thread(target=print)", "return 1", before="import threading"),
    "importlib": func("return importlib.import_module('os').getpid()", before="import importlib"),
    "__import__": func("return __import__('os').getpid()"),
    "builtins": func("return builtins.open('/etc/passwd').read()", before="import builtins"),
    "classes of objects": func("return str(().__class__.__bases__[0].__subclasses__())"),
    "globals of a function": func("return str(func.__globals__)"),
    "format reaches in": func("return '{0.__class__.__mro__}'.format(seen)"),
    "getattr reaches in": func("return str(getattr(seen, '__class__'))"),
    "frames": func("return str(sys._getframe())", before="import sys"),
    "writes to stdout by sys": func(f"sys.stdout.write('{MARK}')", "return 1", before="import sys"),
    "exits": func("sys.exit(0)", before="import sys"),
    "raises SystemExit": func("raise SystemExit(0)"),
    "raises KeyboardInterrupt": func("raise KeyboardInterrupt()"),
    "asks for input": func("return input('password: ')"),
    "breakpoint": func("breakpoint()", "return 1"),
    "sleeps": func("time.sleep(8)", "return 1", before="import time"),
    "sleeps with asyncio": func("asyncio.run(asyncio.sleep(8))", "return 1", before="import asyncio"),
    "endless loop": func("while True: pass"),
    "endless loop that catches all": func(
        "while True:", "    try:", "        while True: pass", "    except BaseException: pass"
    ),
    "endless loop in finally": func("try:", "    return 1", "finally:", "    while True: pass"),
    "endless iterator": func("return max(itertools.count())", before="import itertools"),
    "endless generator": func("return g()", before="def g():\n    while True:\n        yield 1"),
    "a huge sum": func("return sum(range(10 ** 12))"),
    "one long step": func("return len(str(int('9' * 4000) ** 4000))"),
    "a huge number": func("return 10 ** (10 ** 9)"),
    "a long number": func("return 10 ** 5000"),
    "a list that doubles": func("n = [1]", "while True: n = n + n"),
    "a text that doubles": func("n = 'a'", "while True: n += n"),
    "a million lists": func("n = []", "while True: n.append(list(range(1000)))"),
    "a wide format": func("return '{:1000000000d}'.format(1)"),
    "recursion": "def func(metadata):\n    return func(metadata)",
    "mutual recursion that catches": "def a(m):\n    try:\n        return b(m)\n"
    "    except BaseException:\n        return b(m)\n"
    "def b(m):\n    return a(m)\n"
    "def func(metadata):\n    return a(metadata)",
    "backtracking": func("return bool(re.search(r'(a*)*\\1b', 'a' * 60))", before="import re"),
    "prints without end": func(f"while True: print('{MARK}' * 1000)"),
    "returns 30 MB of text": func("return 'a' * 30000000"),
    "returns a million numbers": func("return list(range(1000000))"),
    "returns itself": func("n = []", "n.append(n)", "return n"),
    "returns a deep list": func("n = [1]", "for i in range(50000): n = [n]", "return n"),
    "returns a list five deep": func("return [[[[[1]]]]]"),
    "returns a function": func("return func"),
    "returns a module": func("return math", before="import math"),
    "returns an object": func("return C()", before="class C:\n    pass"),
    "returns bytes": func("return b'1'"),
    "returns a set": func("return {1, 2}"),
    "returns NaN": func("return float('nan')"),
    "returns infinity": func("return [1.0, float('inf')]"),
    "returns nothing": func("print(1)"),
    "returns a complex number": func("return 1j"),
    "changes json": func("json.dumps = lambda x: '7'", "return seen", before="import json"),
    "changes math": func("math.sqrt = abs", "return 1", before="import math"),
    "names of the host": func("return _host_sent"),
    "plants a name for the host": func("global _host_out", "_host_out = 7", "return {1}"),
    "a decorator on func": "def twice(f):\n    return f\n@twice\ndef func(metadata):\n    return open(metadata)",
    "no func": "def other(metadata):\n    return metadata",
    "two funcs": "def func(metadata):\n    return metadata\ndef func(m):\n    return m[9]",
    "a func of three": "def func(a, b, c):\n    return a",
    "code outside": "while True: pass\ndef func(metadata):\n    return metadata",
    "a file outside": "x = open('/etc/passwd')\ndef func(metadata):\n    return metadata",
    "eval": func("return eval('open(\"/etc/passwd\").read()')"),
    "exec": func("exec('while True: pass')", "return 1"),
    "compile": func("return str(compile('1', 'x', 'eval'))"),
    "a tower of minus": "x = " + "-" * 8000 + "1\ndef func(m):\n    return m",
    "a tower of attributes": "x = a" + ".a" * 4000 + "\ndef func(m):\n    return m",
    "a tower of brackets": "x = " + "(" * 4000 + ")" * 4000 + "\ndef func(m):\n    return m",
    "too long": "#" * (MAX_BYTES + 1) + "\ndef func(m):\n    return m",
    "a megabyte of minus": "x = " + "-" * 1000000 + "1",
    "a null byte": "def func(m):\n    return '\0'",
    "no Python": "def func(m) return m;",
    "nothing": "",
    "half a character": "def func(m):\n    return m + '\ud800'",
}
# What may answer, and with what: it does no harm.
HARMLESS = {
    "forges an answer on the output": (func("print('{\"answer\": 7}')", "return seen['size']"), 1.5),
    "changes its input": (func("seen['size'] = 99.0", "metadata.clear()", "return 3"), 3),
    "floods below the limit": (func(f"print('{MARK}' * 10000)", "return seen['size']"), 1.5),
    "forges an error": (func("return 'ProgramError: limit'"), "ProgramError: limit"),
    "forges the host's list": (func("return ['it has 70000 bytes']"), ["it has 70000 bytes"]),
}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1) as opened:
        yield opened


@each_case("name", FAILS)
def test_hostile_programs_end_as_their_own_failure(name, capfd):
    scene = copy.deepcopy(SCENE)
    with pytest.raises(ProgramError) as caught:
        run_program(FAILS[name], scene)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert scene == SCENE
    told = capfd.readouterr()
    assert told.out == ""
    assert MARK not in told.err


@each_case("name", HARMLESS)
def test_what_is_printed_or_changed_is_no_answer(name, capfd):
    source, value = HARMLESS[name]
    scene = copy.deepcopy(SCENE)
    assert run_program(source, scene) == value
    assert scene == SCENE
    told = capfd.readouterr()
    assert (told.out, told.err) == ("", "")


# What the sandbox alone lets pass, because it does no harm: the value is judged afterwards, by others.
_ALONE = (
    *("a decorator on func", "two funcs", "returns", "plants a name", "names of the host", "a null byte", "too long"),
    *("a long number", "half a character", "code outside"),
)


@each_case("name", [name for name in FAILS if not name.startswith(_ALONE)])
def test_the_sandbox_alone_holds_as_well(sandbox, name, capfd):
    with pytest.raises(ProgramError):
        sandbox.run_unchecked(FAILS[name])
    assert MARK not in "".join(capfd.readouterr())


def test_no_hostile_program_needs_our_memory(sandbox):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, source in FAILS.items():
        with pytest.raises(ProgramError):
            sandbox.run(source, SCENE)
        assert sandbox.run(func("return seen['size']"), SCENE) == 1.5, f"after {name}"
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib <= 100 * 1024
