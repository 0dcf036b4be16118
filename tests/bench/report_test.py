#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of report.py and pictures.py: figures that are made up, verdicts that follow."""
import contextlib
import io
import os
import tempfile
import unittest
import xml.etree.ElementTree

import pictures
import report

HEAD = ('kernel,round,setup,place,work,op,qp,size,qps,mtu,wait,seconds,messages,mbps,rate,'
        'usec,ask_user,ask_sys,serve_user,serve_sys,cpu_user,cpu_sys,cpu_soft,cpu_per_gib,'
        'wire_bytes,bytes_per_qp,status').split(',')


def row(**fields):
    made = dict.fromkeys(HEAD, '')
    made.update(kernel='k', round='1', setup='ours', place='veth', work='stream', op='write',
                qp='rc', size='65536', qps='1', mtu='4096', wait='event', seconds='1',
                messages='10', mbps='100', rate='10', wire_bytes='700000', ask_user='0',
                ask_sys='0', serve_user='0', serve_sys='0', status='ok')
    made.update({k: str(v) for k, v in fields.items()})
    return made


def run_of(*rows):
    run = report.Run('k')
    for each in rows:
        run.add(each)
    return run


def ceilings(crc, copy, cpus):
    made = [row(setup='x', place='kernel', work='ceiling', op=op, size=size, mbps=rate)
            for op, rate in (('crc32_le', crc), ('memcpy', copy)) for size in (1024, 65536)]
    return made + [row(setup='x', place='kernel', work='ceiling', op='cpus', size=1, mbps=cpus)]


def limit(what, size, rate):
    return row(setup='x', place='kernel', work='ceiling', op=what, size=size, mbps=rate)


WRITE = report.stream('veth', 'write', 65536)


class Ratios(unittest.TestCase):
    def test_median_of_rounds(self):
        run = run_of(*(row(round=i, setup=s, mbps=v) for i, s, v in (
            (1, 'rxe', 10), (1, 'ours', 60), (2, 'rxe', 20), (2, 'ours', 100),
            (3, 'rxe', 10), (3, 'ours', 10))))
        # 6, 5 and 1; of the medians it would be 60 / 10.
        self.assertEqual(report.gain(run, 'ours', WRITE), 5)

    def test_only_rounds_of_both(self):
        run = run_of(row(round=1, setup='rxe', mbps=10), row(round=1, mbps=30),
                     row(round=2, mbps=90))
        self.assertEqual(report.gain(run, 'ours', WRITE), 3)

    def test_time_is_better_when_less(self):
        both = dict(work='pingpong', size=8, wait='alone', mbps='')
        run = run_of(row(setup='rxe', usec=30, **both), row(usec=10, **both))
        cell = ('veth', 'pingpong', 'write', 'rc', 8, 1, 4096, 'alone')
        self.assertEqual(report.gain(run, 'ours', cell), 3)

    def test_spread(self):
        run = run_of(*(row(round=i, mbps=v) for i, v in ((1, 10), (2, 20), (3, 30))),
                     row(setup='rxe'))
        self.assertEqual(report.spread(run, WRITE), '100 %')

    def test_nothing_to_compare(self):
        self.assertIsNone(report.gain(run_of(row()), 'ours', WRITE))


class Again(unittest.TestCase):
    def setUp(self):
        self.run = run_of(*(row(round=i, setup=s, size=size, mbps=v) for i, s, size, v in (
            (1, 'rxe', 65536, 20), (1, 'ours', 65536, 10),
            (1, 'rxe', 64, 10), (1, 'ours', 64, 20))))

    def test_who_is_below(self):
        self.assertEqual(report.cells_below([self.run]), '^(veth.stream.write.rc.65536.1.4096.event)$')
        self.assertFalse(report.never_below(self.run)[0].holds)

    def again(self, ours):
        for i, setup, rate in ((1, 'rxe', 10), (1, 'ours', ours), (2, 'rxe', 10),
                               (2, 'ours', ours)):
            self.run.add(row(round=i, setup=setup, mbps=rate), again=True)

    def test_more_rounds_count(self):
        self.again(11)
        target, below = report.never_below(self.run)
        self.assertEqual((target.got, below), (1.1, []))
        self.assertEqual(list(report.again_rows(self.run))[1:],
                         [('veth 64 KiB WRITE', '0.5', '1.1', '2')])
        self.assertEqual(report.gain(self.run, 'ours', WRITE), 0.5)

    def test_still_below(self):
        self.again(9)
        self.assertFalse(report.never_below(self.run)[0].holds)

    def test_below_in_half_of_the_rounds(self):
        self.again(9)
        for i in (3, 4):
            self.run.add(row(round=i, setup='rxe', mbps=10), again=True)
            self.run.add(row(round=i, mbps=10.2), again=True)
        target, below = report.never_below(self.run)
        self.assertEqual(report.rounds_below(self.run, WRITE), (2, 4))
        self.assertEqual((target.verdict, len(below)), ('even', 1))

    def test_a_time_is_worse_when_more(self):
        both = dict(work='pingpong', size=8, wait='alone', mbps='')
        run = run_of(row(setup='rxe', usec=10, **both), row(usec=30, **both))
        cell = ('veth', 'pingpong', 'write', 'rc', 8, 1, 4096, 'alone')
        self.assertEqual(report.rounds_below(run, cell), (1, 1))

    def test_none_is(self):
        self.assertEqual(report.cells_below([run_of(row(), row(setup='rxe', mbps=50))]), '')


class Iwarp(unittest.TestCase):
    def test_only_where_it_was_measured(self):
        self.assertEqual(list(report.iwarp_targets(run_of(row()))), [])

    def test_of_siw_and_of_tcp(self):
        run = run_of(row(setup='iwplain', mbps=90), row(setup='siw', mbps=50),
                     row(setup='tcp', op='tcp', mbps=100), row(setup='iwarp', mbps=200))
        verdicts = {t.text: t.verdict for t in report.iwarp_targets(run)}
        self.assertEqual(verdicts['iWARP without CRC, veth 64 KiB WRITE, of siw'], 'FAILS')
        self.assertEqual(verdicts['iWARP without CRC, veth 64 KiB WRITE, of TCP'], 'holds')

    def test_of_siw_with_crcs(self):
        for mbps, verdict in ((59, 'FAILS'), (60, 'holds')):
            run = run_of(row(setup='iwplain', mbps=500), row(setup='iwarp', mbps=mbps),
                         row(setup='siw', mbps=1), row(setup='siwcrc', mbps=30))
            verdicts = {t.text: t.verdict for t in report.iwarp_targets(run)}
            self.assertEqual(
                verdicts['iWARP with CRC, veth 64 KiB WRITE, of siw with CRC'], verdict)

    def test_with_crcs_and_without(self):
        run = run_of(row(setup='iwplain', mbps=90), row(setup='iwarp', mbps=45),
                     row(setup='siw', mbps=45), row(setup='siwcrc', mbps=15),
                     row(setup='tcp', op='tcp', mbps=90))
        self.assertEqual(list(report.crc_rows(run))[1:],
                         [('veth 64 KiB WRITE, of siw', '2', '3'),
                          ('veth 64 KiB WRITE, of TCP', '1', '0.5')])

    def test_no_siw_with_crcs(self):
        run = run_of(row(setup='iwplain', mbps=90), row(setup='iwarp', mbps=45),
                     row(setup='siw', mbps=45))
        self.assertEqual(list(report.crc_rows(run))[1:],
                         [('veth 64 KiB WRITE, of siw', '2', '-')])


class Wire(unittest.TestCase):
    def test_stream_without_packets_counts_not(self):
        run = run_of(row(wire_bytes=600000))
        self.assertEqual(len(run.unwired), 1)
        self.assertFalse(run.values)
        self.assertFalse(report.holds(run))

    def test_one_host_needs_no_wire(self):
        self.assertFalse(run_of(row(place='host', wire_bytes=0)).unwired)

    def test_lost_datagrams(self):
        self.assertFalse(run_of(row(qp='ud', wire_bytes=5)).unwired)


class Ceilings(unittest.TestCase):
    def test_one_processor(self):
        run = run_of(*ceilings(200, 100, 1))
        self.assertAlmostEqual(report.ceiling(run, WRITE), 50)

    def test_two(self):
        run = run_of(*ceilings(200, 100, 2))
        self.assertAlmostEqual(report.ceiling(run, WRITE), 1 / (1 / 200 + 1 / 100))

    def test_two_machines_of_one(self):
        run = run_of(*ceilings(200, 100, 1))
        cell = ('vms',) + WRITE[1:]
        self.assertAlmostEqual(report.ceiling(run, cell), 1 / (1 / 200 + 1 / 100))

    def test_a_copy_on_one_host(self):
        run = run_of(*ceilings(200, 100, 2))
        self.assertEqual(report.ceiling(run, report.stream('host', 'write', 65536)), 100)
        self.assertIsNone(report.ceiling(run_of(), report.stream('host', 'write', 65536)))

    def target(self, ours):
        run = run_of(row(setup='rxe', mbps=20), row(mbps=ours), *ceilings(200, 100, 1))
        return report.against_rxe(run, WRITE, 5, 1.5)

    def test_target_above_it(self):
        # At most 2.5 times rxe: 0.7 of that is asked.
        target = self.target(35)
        self.assertAlmostEqual(target.limit, 2.5)
        self.assertAlmostEqual(target.need, 1.75)
        self.assertEqual(target.verdict, 'holds, of the ceiling')
        self.assertEqual(self.target(34.9).verdict, 'FAILS')

    def test_floor(self):
        run = run_of(row(setup='rxe', mbps=40), row(mbps=50), *ceilings(200, 100, 1))
        self.assertEqual(report.against_rxe(run, WRITE, 5, 1.5).need, 1.5)

    def test_a_call_for_each(self):
        # 65536 bytes: 1310.72 us for checksums and copy, as much for the call.
        run = run_of(*ceilings(200, 100, 1), limit('calls', 1, 1e6 / 1310.72))
        self.assertAlmostEqual(report.ceiling(run, WRITE), 25)

    def test_what_the_wire_takes(self):
        run = run_of(*ceilings(200, 100, 1), limit('wire', 4096, 30), limit('wire', 64, 5))
        cell = ('vms',) + WRITE[1:]
        self.assertEqual(report.ceiling(run, cell), 30)
        self.assertEqual(report.ceiling(run, ('vms',) + report.stream('vms', 'write', 64)[1:]), 5)
        self.assertAlmostEqual(report.ceiling(run, WRITE), 50)

    def test_time_of_processors(self):
        # 2 * 5 + 10 ns for each byte of a GiB: 21.5 s of 40.
        run = run_of(row(setup='rxe', cpu_per_gib=40), row(cpu_per_gib=24),
                     *ceilings(200, 100, 1))
        target = next(iter(report.cost_targets(run, 'veth')))
        self.assertAlmostEqual(target.limit, 0.5369, 4)
        self.assertEqual(target.verdict, 'holds, of the ceiling')

    def test_below_tcp(self):
        both = dict(work='pingpong', op='send', size=8, mbps='')
        tcp = dict(both, op='tcp', setup='tcp')
        run = run_of(row(setup='siw', usec=100, **both), row(setup='iwplain', usec=110, **both),
                     row(usec=80, **tcp))
        target = {t.text: t for t in report.iwarp_targets(run)}[
            'iWARP without CRC, veth 8 B SEND round, event, of siw']
        self.assertAlmostEqual(target.need, 0.8 / 0.7)
        self.assertEqual(target.verdict, 'holds, of the ceiling')

    def test_target_below_it(self):
        run = run_of(row(setup='rxe', mbps=5), row(mbps=25), *ceilings(200, 100, 1))
        self.assertEqual(report.against_rxe(run, WRITE, 5).verdict, 'holds')


class Verdicts(unittest.TestCase):
    def test_not_measured_is_no_success(self):
        target = report.Target('x', 1, None)
        self.assertFalse(target.holds)
        self.assertEqual(target.verdict, 'not measured')

    def test_less(self):
        self.assertTrue(report.Target('x', 0.5, 0.5, less=True).holds)
        self.assertFalse(report.Target('x', 0.5, 0.51, less=True).holds)

    def test_never_below(self):
        run = run_of(row(setup='rxe'), row(mbps=200), row(setup='rxe', size=64, messages=1),
                     row(size=64, messages=1, mbps=99))
        target, below = report.never_below(run)
        self.assertFalse(target.holds)
        self.assertEqual([b[2][4] for b in below], [64])

    def test_ours_broke_down(self):
        self.assertTrue(run_of(row(status='failed')).failed)
        self.assertFalse(report.holds(run_of(row(status='failed'))))

    def test_all_hold(self):
        fields = dict(place='host', work='idle', size=64, qps=500, mbps='')
        run = run_of(row(setup='rxe', bytes_per_qp=9, **fields),
                     row(bytes_per_qp=9, **fields))
        self.assertTrue(all(t.holds for t in report.memory_targets(run)))
        self.assertTrue(list(report.memory_targets(run)))


class Output(unittest.TestCase):
    rows = [row(round=i, setup=s, size=z, mbps=v * z, messages=1, wire_bytes=z)
            for i in (1, 2) for s, v in (('rxe', 1), ('ours', 6))
            for z in (64, 65536, 1048576)] + ceilings(200, 100, 2)

    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            data, page = os.path.join(folder, 'k.csv'), os.path.join(folder, 'p.md')
            with open(data, 'w', encoding='utf-8') as file:
                for each in [dict(zip(HEAD, HEAD))] + self.rows:
                    file.write(','.join(each[f] for f in HEAD) + '\n')
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                status = report.main(['--page', page, data])
            # Most of the targets were not measured.
            self.assertEqual(status, 1)
            self.assertIn('veth 64 KiB WRITE, of rxe', text.getvalue())
            with open(page, encoding='utf-8') as file:
                written = file.read()
            self.assertIn('![MB/s of WRITE, veth](p/write-veth-k.svg)', written)
            self.assertTrue(os.path.exists(os.path.join(folder, 'p', 'write-veth-k.svg')))

    def test_pictures_are_xml(self):
        found = list(pictures.all_of(run_of(*self.rows)))
        self.assertTrue(found)
        for _, _, text in found:
            tree = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(tree.tag, '{http://www.w3.org/2000/svg}svg')

    def test_nothing_to_draw(self):
        self.assertIsNone(pictures.draw('', '', '', {'rxe': []}))

    def test_sizes(self):
        self.assertEqual([report.size_text(s) for s in (8, 4096, 1048576, 1500)],
                         ['8 B', '4 KiB', '1 MiB', '1500 B'])

    def test_plain_columns(self):
        self.assertEqual(report.plain([('a', 'b'), ('cc', '1')]), 'a   b\ncc  1')


if __name__ == '__main__':
    unittest.main()
