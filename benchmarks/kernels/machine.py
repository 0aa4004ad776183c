# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The most multiply-adds that the machine does in a second: vectors of f32 or f64 that stay in registers; and how fast
it reads two arrays and writes one."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

# Twelve sums at a time: more than the latency of a multiply-add on two units, and few
# enough for the registers of AVX2. Every loop over them is unrolled, as an array with
# an index is in memory.
SOURCE = """
#if defined(__AVX512F__)
typedef T V __attribute__((vector_size(64)));
#elif defined(__AVX__)
typedef T V __attribute__((vector_size(32)));
#else
typedef T V __attribute__((vector_size(16)));
#endif
#define ALL(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l)
#define START(s) V s = term * (T)__COUNTER__;
#define STEP(s) s = s * scale + term; KEEP(s)
#define SUM(s) + s[0]
#if defined(__AVX512F__)
#define KEEP(s) __asm__ volatile("" : "+v"(s));
#elif defined(__x86_64__)
#define KEEP(s) __asm__ volatile("" : "+x"(s));
#else
#define KEEP(s) __asm__ volatile("" : "+w"(s));
#endif
double multiply_add(long times, T *sink) {
  V scale, term;
  for (unsigned n = 0; n < sizeof(V) / sizeof(T); ++n)
    scale[n] = (T)0.999, term[n] = (T)0.5;
  ALL(START)
  for (long t = 0; t < times; ++t) {
    ALL(STEP)
  }
  *sink = 0 ALL(SUM);
  return 2.0 * times * 12 * (sizeof(V) / sizeof(T));
}
"""


def make_peak(threads: int, compiler: str, element: str = "f32", cpu: str = "native") -> Callable[[], float]:
    """Returns a function that does multiply-adds of `element`, f32 or f64, with the instructions of `cpu`, for some
    milliseconds on each of a number of threads, and returns the number of floating-point operations."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "peak.c"), os.path.join(folder, "peak.so")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(SOURCE)
        kind = {"f32": "float", "f64": "double"}[element]
        flags = ["-O3", f"-march={cpu}", f"-DT={kind}", "-ffp-contract=fast", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", library, source], check=True)
        loaded = ctypes.CDLL(library)
    loaded.multiply_add.restype = ctypes.c_double
    loaded.multiply_add.argtypes = [ctypes.c_long, ctypes.POINTER(ctypes.c_double)]

    def run(times: int) -> float:
        # As large as either element.
        return float(loaded.multiply_add(times, ctypes.byref(ctypes.c_double())))

    times = 1 << 17
    if threads == 1:
        return lambda: run(times)
    pool = ThreadPoolExecutor(threads)
    return lambda: sum(pool.map(run, [times] * threads))


# In the order of memory, a share of each array after the other, with a sum of what is read in what is written.
STREAM = """
#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif
typedef float V __attribute__((vector_size(BYTES), aligned(4)));
static long to(long lines, long part, long parts) { return lines * part / parts; }
void stream(const V *a, long m, const V *b, long n, V *c, long o) {
  m /= BYTES, n /= BYTES, o /= BYTES;
  long parts = (m > n ? m > o ? m : o : n > o ? n : o) / 16 + 1;
  V x = {0}, y = {0};
  for (long part = 0; part < parts; ++part) {
    for (long i = to(m, part, parts); i < to(m, part + 1, parts); ++i)
      x += a[i];
    for (long i = to(n, part, parts); i < to(n, part + 1, parts); ++i)
      y += b[i];
    for (long i = to(o, part, parts); i < to(o, part + 1, parts); ++i)
      c[i] = x + y;
  }
}
"""


def make_stream(compiler: str) -> Callable[[list[tuple[int, int]]], None]:
    """A function that reads two arrays and writes a third, each given by its address and its bytes: what a kernel with
    these operands takes at least, in the caches that they are in."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "stream.c"), os.path.join(folder, "stream.so")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(STREAM)
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", library, source], check=True)
        loaded = ctypes.CDLL(library)
    loaded.stream.restype = None
    loaded.stream.argtypes = [ctypes.c_void_p, ctypes.c_long] * 3
    return lambda arrays: loaded.stream(*(number for at, size in arrays for number in (at, size)))
