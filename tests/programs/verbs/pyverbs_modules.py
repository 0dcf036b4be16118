#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""rdma-core's tests, a process for each of their modules: one that crashes ends alone.

usage: pyverbs_modules.py [option of run_tests.py...], in the folder with tests/

Modules of other vendors' devices are left out. Garbage is not collected: pyverbs would close
a context before what is in it, and crash, as it does on Python 3.13. After each module comes a line
'module NAME: N ok, N skipped, N failed', or 'module NAME: crashed'.
"""
import gc
import importlib
import os
import sys
import unittest

OTHERS = ('test_mlx5', 'test_efa', 'test_cuda')

sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), 'tests')]
importlib.import_module('args_parser').parser.parse_args()
for name in os.listdir('tests'):
    if name.startswith(OTHERS):
        os.unlink(os.path.join('tests', name))
gc.disable()
modules = importlib.import_module('tests').__test_modules__


def run(module):
    tests = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    bad = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f'module {module.__name__}: {result.testsRun - bad - skipped} ok, '
          f'{skipped} skipped, {bad} failed', file=sys.stderr, flush=True)


for each in modules:
    child = os.fork()
    if not child:
        run(each)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print(f'\nmodule {each.__name__}: crashed', file=sys.stderr, flush=True)
