#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of table.py: made-up counts, and what becomes of them."""
import contextlib
import io
import os
import shutil
import tempfile
import unittest

import table

KALLSYMS = """ffffffff81000000 T crc32_body
ffffffff81000100 T udp_rcv
ffffffff81000200 d not_code
ffffffffc0000000 t send_data	[ofed_soft]
ffffffffc0000100 t ibt_icrc	[ofed_soft]
"""
CELLS = """ours veth write:64 100
ours host poll:0 10
"""
BLOCKS = """phase 0
ffffffff81000004 100000
ffffffff81000010 100000
ffffffff81000250 50000
ffffffffc0000020 390000
ffffffffc0000020 10000
ffffffffc0000100 50000
401000 20000
phase 1
401000 640
"""
WORDS = {'kernel': '6.1.0-1-amd64', 'compiler': 'Debian-12'}
CELL = 'ours veth write:64'
CHECKED = '^ours (veth write:64|host poll:0)$'


class Table(unittest.TestCase):
    def setUp(self):
        self.out = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.out)
        self.figures = os.path.join(self.out, 'figures')
        self.write(BLOCKS)

    def write(self, blocks):
        for name, text in ('kallsyms-ours', KALLSYMS), ('cells', CELLS), ('blocks', blocks):
            with open(os.path.join(self.out, name), 'w') as file:
                file.write(text)

    def recorded(self):
        table.record(self.figures, WORDS, table.counted(self.out), CHECKED, table.Categories())

    def compared(self, words=None, blocks=BLOCKS):
        """(cells that fail, what it says)"""
        self.write(blocks)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            bad = table.compare(self.figures, words or WORDS, table.counted(self.out))
        return bad, said.getvalue()

    def test_functions(self):
        functions = table.counted(self.out)[CELL]
        self.assertEqual(functions['vmlinux', 'crc32_body'], 2000)
        self.assertEqual(functions['vmlinux', 'udp_rcv'], 500)
        self.assertEqual(functions['ofed_soft', 'send_data'], 4000)
        self.assertEqual(functions['program', 'program'], 200)

    def test_categories(self):
        functions = table.counted(self.out)[CELL]
        total, *sums = table.sums(functions, table.Categories())
        self.assertEqual(total, 7200)
        self.assertEqual(dict(zip(table.ORDER, sums)), {
            'engine': 4000, 'network': 500, 'CRC': 2500, 'locks': 0, 'call': 0, 'memory': 0,
            'copy': 0, 'other': 0, 'program': 200})

    def test_the_same(self):
        self.recorded()
        bad, said = self.compared()
        self.assertEqual(bad, 0)
        self.assertIn('ok   ' + CELL, said)

    def test_growth_fails_and_is_named(self):
        self.recorded()
        bad, said = self.compared(blocks=BLOCKS.replace('c0000020 390000', 'c0000020 410000'))
        self.assertEqual(bad, 1)
        self.assertIn('FAIL ' + CELL, said)
        self.assertIn('ofed_soft:send_data: 4000.0 -> 4200.0', said)
        self.assertNotIn('crc32_body', said)

    def test_a_function_that_is_new_is_named(self):
        self.recorded()
        _, said = self.compared(blocks=BLOCKS.replace('c0000100 50000', 'c0000100 50000\n'
                                                      'ffffffff80000000 30000'))
        self.assertIn('vmlinux:unknown: 0.0 -> 300.0', said)

    def test_less_than_two_percent(self):
        self.recorded()
        bad, _ = self.compared(blocks=BLOCKS.replace('c0000020 390000', 'c0000020 400000'))
        self.assertEqual(bad, 0)

    def test_another_compiler_fails_nothing(self):
        self.recorded()
        bad, said = self.compared({**WORDS, 'compiler': 'Debian-14'},
                                  BLOCKS.replace('c0000020 390000', 'c0000020 890000'))
        self.assertEqual(bad, 0)
        self.assertIn('compiler is Debian-14, the figures are of Debian-12', said)
        self.assertIn('ofed_soft:send_data: 4000.0 -> 9000.0', said)

    def test_a_cell_without_figure_fails(self):
        self.recorded()
        with open(self.figures) as file:
            text = file.read()
        with open(self.figures, 'w') as file:
            file.write(text[:text.index('functions of ours host')])
        bad, said = self.compared()
        self.assertEqual(bad, 1)
        self.assertIn('FAIL ours host poll:0: 64, no figure', said)

    def test_no_figures_fail_nothing(self):
        self.assertEqual(self.compared()[0], 0)

    def test_a_phase_is_missing(self):
        self.write(BLOCKS[:BLOCKS.index('phase 1')])
        self.assertRaises(SystemExit, table.counted, self.out)

    def test_cells_of_another_record_stay(self):
        self.recorded()
        cells = table.counted(self.out)
        other = {'iwarp veth send:64': cells[CELL]}
        table.record(self.figures, WORDS, other, CHECKED, table.Categories())
        figures = table.Figures(self.figures)
        self.assertEqual(set(figures.rows), {*cells, *other})
        self.assertEqual(set(figures.functions), {*cells})
        self.assertEqual(figures.words, WORDS)
        words = {**WORDS, 'kernel': '6.1.0-2-amd64'}
        table.record(self.figures, words, other, CHECKED, table.Categories())
        self.assertEqual(set(table.Figures(self.figures).rows), {*other})


if __name__ == '__main__':
    unittest.main()
