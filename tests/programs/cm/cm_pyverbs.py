#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""rdma-core's tests of rdma_cm on a device without a network device in sysfs.

usage: cm_pyverbs.py ADDRESS [option of run_tests.py...], in the folder with tests/
"""
import importlib
import os
import sys
import unittest

ADDRESS = sys.argv.pop(1)
sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), 'tests')]
parser = importlib.import_module('args_parser').parser
parser.parse_args()
base = importlib.import_module('tests.base')


def told_address(self, dev, port, idx):
    """In place of the search by sysfs; nothing here asks for the MAC address."""
    self.args.append([dev, port, idx, ADDRESS, None])


base.RDMATestCase._get_ip_mac = told_address
tests = unittest.defaultTestLoader.loadTestsFromName('tests.test_rdmacm')
result = unittest.TextTestRunner(verbosity=2).run(tests)
sys.exit(not result.wasSuccessful())
