"""Outputs of real programs in Python, Perl, C, C++, JavaScript and Java are predicted."""

import json
import platform
import random
import shutil
import subprocess

import pytest

import unrandom
from sweeping import PATIENCE
from tiers import slow
from unrandom.auditing.verdict import Predictable

SHOWN = 10

C = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **argument) {
  int n = atoi(argument[2]);
  char small[8];
  srand(12345); srand48(99);
  if (argument[1][0] == '0') initstate(7, small, 8);
  for (int i = 0; i < n; i++) switch (argument[1][0]) {
    case 'r': printf("%d\n", rand()); break;
    case 'f': printf("%.17g\n", rand() / (double)RAND_MAX); break;
    case '0': printf("%ld\n", random()); break;
    case 'd': printf("%.17g\n", drand48()); break;
    case '6': printf("%f\n", drand48()); break;
    case 'l': printf("%ld\n", lrand48()); break;
    case 'm': printf("%ld\n", mrand48()); break;
  }
}
"""

CPP = r"""
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
template <class Generator> void show(Generator generator, int n) {
  for (int i = 0; i < n; i++) std::cout << generator() << "\n";
}
int main(int, char **argument) {
  std::string what = argument[1];
  int n = atoi(argument[2]);
  std::cout.precision(17);
  if (what == "minstd_rand0") show(std::minstd_rand0(5), n);
  if (what == "minstd_rand") show(std::minstd_rand(5), n);
  if (what == "mt19937") show(std::mt19937(5), n);
  if (what == "mt19937_64") show(std::mt19937_64(5), n);
  if (what == "ranlux24_base") show(std::ranlux24_base(5), n);
  if (what == "ranlux48_base") show(std::ranlux48_base(5), n);
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform;
  std::minstd_rand small(7);
  if (what == "uniform") for (int i = 0; i < n; i++) std::cout << uniform(generator) << "\n";
  if (what == "small6") std::cout.precision(6);
  if (what == "small" || what == "small6") for (int i = 0; i < n; i++) std::cout << uniform(small) << "\n";
}
"""

JAVA = """
import java.util.*;
public class Numbers {
  public static void main(String[] argument) {
    Random random = new Random(42);
    SplittableRandom splittable = new SplittableRandom(3);
    Random secure = new java.security.SecureRandom();
    for (int i = 0; i < Integer.parseInt(argument[1]); i++) switch (argument[0]) {
      case "nextInt": System.out.println(random.nextInt()); break;
      case "nextLong": System.out.println(random.nextLong()); break;
      case "nextDouble": System.out.println(random.nextDouble()); break;
      case "nextFloat": System.out.println(random.nextFloat()); break;
      case "nextInt64": System.out.println(random.nextInt(64)); break;
      case "nextInt3": System.out.println(random.nextInt(3)); break;
      case "nextInt5": System.out.println(random.nextInt(5)); break;
      case "nextInt7": System.out.println(random.nextInt(7)); break;
      case "nextInt10": System.out.println(random.nextInt(10)); break;
      case "secure": System.out.println(secure.nextInt()); break;
      case "splittable": System.out.println(splittable.nextLong()); break;
    }
  }
}
"""


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"2026-11-21: {program} is not installed")


def check(tmp_path, printed, expected, **about):
    """Audit all but the last printed numbers, and check that the prediction is the last ones."""
    lines = printed.split()
    path = tmp_path / "numbers"
    path.write_text("\n".join(lines[:-SHOWN]))
    verdict = unrandom.audit(path, seeds="none", **about)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.verdict == "predictable"
    assert verdict.family == expected
    assert verdict.next == [json.loads(line) for line in lines[-SHOWN:]]
    return verdict


def compiled(folder, compiler, name, source):
    (folder / name).write_text(source)
    run(compiler, "-o", folder / "numbers", folder / name)
    return folder / "numbers"


@pytest.fixture(scope="module")
def c_program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("c"), "gcc", "numbers.c", C)


@pytest.fixture(scope="module")
def cpp_program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("cpp"), "g++", "numbers.cc", CPP)


@pytest.fixture(scope="module")
def java_classes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("java")
    (folder / "Numbers.java").write_text(JAVA)
    run("javac", "-d", folder, folder / "Numbers.java")
    return folder


def test_pythons_random(tmp_path):
    generator = random.Random(6)
    check(tmp_path, "\n".join(repr(generator.random()) for _ in range(800)), "mersenne-twister")
    check(tmp_path, "\n".join(str(generator.getrandbits(32)) for _ in range(800)), "mersenne-twister")
    check(tmp_path, "\n".join(str(generator.getrandbits(64)) for _ in range(800)), "mersenne-twister")


@needs("perl")
def test_perls_rand(tmp_path):
    verdict = check(tmp_path, run("perl", "-e", r'srand(42); print rand(), "\n" for 1..200'), "lcg")
    assert verdict.parameters["m"] == 2**48
    check(tmp_path, run("perl", "-e", r'srand(42); print int(rand(6)), "\n" for 1..400'), "truncated-lcg", bounded=6)


@needs("gcc")
@pytest.mark.parametrize(
    ("what", "family"),
    [
        *slow(("r", "lagged-fibonacci"), ("f", "lagged-fibonacci")),
        ("0", "lcg"),
        ("d", "lcg"),
        ("6", "truncated-lcg"),
        ("l", "truncated-lcg"),
        ("m", "truncated-lcg"),
    ],
)
def test_the_c_library(tmp_path, c_program, what, family):
    """rand(), rand() / RAND_MAX, random() of TYPE_0, drand48() in full and in six digits, lrand48(), mrand48()."""
    if what in "rf0" and platform.libc_ver()[0] != "glibc":
        pytest.skip("the C library is not glibc")
    check(tmp_path, run(c_program, what, 500), family)


@needs("g++")
@pytest.mark.parametrize(
    ("what", "family", "count"),
    [
        ("minstd_rand0", "lcg", 100),
        ("minstd_rand", "lcg", 100),
        ("mt19937", "mersenne-twister", 700),
        ("mt19937_64", "mersenne-twister", 400),
        ("uniform", "mersenne-twister", 700),
        ("small", "truncated-lcg", 50),
        ("small6", "truncated-lcg", 50),
        *slow(("ranlux24_base", "carry", 150), ("ranlux48_base", "carry", 150)),
    ],
)
def test_the_cpp_library(tmp_path, cpp_program, what, family, count):
    check(tmp_path, run(cpp_program, what, count), family)


@needs("node")
@pytest.mark.parametrize(
    ("shown", "about"),
    [
        ("Math.random()", {}),
        *slow(
            ("Math.random().toFixed(6)", {}),
            ("Math.floor(10 * Math.random())", {"bounded": 10}),
            ("Math.floor(256 * Math.random())", {"bounded": 256}),
        ),
    ],
)
def test_nodes_random(tmp_path, shown, about):
    program = f"for (let i = 0; i < 17; i++) Math.random(); for (let i = 0; i < 500; i++) console.log({shown})"
    check(tmp_path, run("node", "-e", program), "v8", **about)


@needs("javac")
@pytest.mark.parametrize(
    ("what", "family", "about"),
    [
        ("nextInt", "truncated-lcg", {}),
        ("nextLong", "java", {}),
        ("nextDouble", "java", {}),
        ("nextFloat", "truncated-lcg", {}),
        ("nextInt64", "truncated-lcg", {"bounded": 64}),
        ("nextInt10", "remainder", {"bounded": 10}),
        ("splittable", "xoshiro", {}),
    ],
)
def test_javas_random(tmp_path, java_classes, what, family, about):
    verdict = check(tmp_path, run("java", "-cp", java_classes, "Numbers", what, 300), family, **about)
    assert verdict.outputs_needed < 40


@needs("javac")
@pytest.mark.parametrize("n", slow(3, 5, 7))
def test_javas_small_odd_remainders(tmp_path, java_classes, n):
    name = "remainder" if n == 7 else "java-remainder"
    hint = None if n == 7 else name  # without a hint, a minute of other families
    check(tmp_path, run("java", "-cp", java_classes, "Numbers", f"nextInt{n}", 900), name, family=hint)


@pytest.mark.slow
@needs("javac")
def test_javas_secure_random_is_not_predicted(tmp_path, java_classes):
    path = tmp_path / "numbers"
    path.write_text(run("java", "-cp", java_classes, "Numbers", "secure", 1000))
    assert not isinstance(unrandom.audit(path, max_seconds=2.0), Predictable)
