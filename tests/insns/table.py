#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the plugin has counted, by function and category; figures that are kept.

usage: table.py show OUT
       table.py record OUT FIGURES CHECKED WORD...
       table.py compare OUT FIGURES WORD...
OUT      folder with blocks (plugin.c), cells and kallsyms-SETUP (tests/vm/suites/insns.sh)
FIGURES  a file of figures; record writes it anew, cells that were not counted stay
CHECKED  an expression: cells that match it are kept by function, too
WORD     NAME=VALUE, what figures depend on; those of FIGURES say what it was made with

compare fails for a cell that is 2 % beyond its figure, and names the functions that grew.
With other words than those of FIGURES it says so, and nothing fails.
"""
import bisect
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ORDER = 'engine network CRC locks call memory copy other program'.split()
KERNEL = 1 << 63
MORE = 1.02     # times the figure
KEPT = 0.002    # of a cell: functions below that are one, 'rest'
SHOWN = 12      # functions that grew most
WIDTH = 26
HEAD = f'{"instructions per message":{WIDTH}}' + ''.join(f'{w:>9}' for w in ['all'] + ORDER)


class Symbols:
    """Functions of a kernel and its modules by address, as (module, name)."""

    def __init__(self, lines):
        words = [line.split() for line in lines]
        code = {int(w[0], 16): (w[3].strip('[]') if len(w) > 3 else 'vmlinux', w[2])
                for w in words if w[1] in 'tTwW'}
        self.starts = sorted(code)
        self.names = [code[start] for start in self.starts]

    def at(self, address):
        if address < KERNEL:
            return 'program', 'program'
        i = bisect.bisect_right(self.starts, address) - 1
        return self.names[i] if i >= 0 else ('vmlinux', 'unknown')


class Categories:
    def __init__(self, path=os.path.join(HERE, 'categories')):
        self.rules = []
        self.known = {}
        with open(path) as lines:
            for line in lines:
                words = line.split()
                if words and words[0] != '#':
                    category, module, name = words
                    self.rules.append((category, re.compile(module), re.compile(name)))

    def of(self, function):
        if function not in self.known:
            self.known[function] = next(
                (category for category, module, name in self.rules
                 if module.fullmatch(function[0]) and name.fullmatch(function[1])), 'other')
        return self.known[function]


def phases(lines):
    """Of each phase {address: instructions}."""
    found = []
    for line in lines:
        first, second = line.split()
        if first == 'phase':
            found.append(collections.Counter())
        else:
            # Blocks of one address may have several lengths.
            found[-1][int(first, 16)] += int(second)
    return found


def counted(out):
    """{cell: {(module, name): instructions for one message}}, in order."""
    with open(os.path.join(out, 'cells')) as lines:
        cells = [line.split() for line in lines]
    with open(os.path.join(out, 'blocks')) as lines:
        blocks = phases(lines)
    if len(blocks) != len(cells):
        sys.exit(f'table: {len(cells)} cells, but {len(blocks)} phases')
    symbols, result = {}, {}
    for (setup, place, what, messages), phase in zip(cells, blocks):
        if setup not in symbols:
            with open(os.path.join(out, 'kallsyms-' + setup)) as lines:
                symbols[setup] = Symbols(lines)
        functions = collections.Counter()
        for address, instructions in phase.items():
            functions[symbols[setup].at(address)] += instructions / int(messages)
        result[f'{setup} {place} {what}'] = functions
    return result


def sums(functions, categories):
    """The sum, and that of each category."""
    result = collections.Counter()
    for function, n in functions.items():
        result[categories.of(function)] += n
    return [sum(result.values())] + [result[category] for category in ORDER]


def row(cell, functions, categories):
    return f'{cell:{WIDTH}}' + ''.join(f'{n:9.0f}' for n in sums(functions, categories))


# ---- figures that are kept ---------------------------------------------------------------

def kept(functions):
    """What is compared: {name: instructions}, small ones as one."""
    least = KEPT * sum(functions.values())
    result = collections.Counter()
    for (module, name), n in functions.items():
        result[f'{module}:{name}' if n >= least else 'rest'] += n
    return result


class Figures:
    """words {name: value}, rows {cell: line}, functions {cell: {name: instructions}}"""

    def __init__(self, path):
        self.words, self.rows, self.functions = {}, {}, {}
        cell = None
        if not os.path.exists(path):
            return
        with open(path) as lines:
            for line in lines:
                words = line.split()
                if line.startswith('\t'):
                    self.functions[cell][words[0]] = float(words[1])
                elif line.startswith('functions of '):
                    cell = ' '.join(words[2:])
                    self.functions[cell] = {}
                elif len(words) == len(ORDER) + 4 and words[-1].isdigit():
                    self.rows[' '.join(words[:3])] = line.rstrip('\n')
                elif '=' in line and not line.startswith('#'):
                    name, value = line.strip().split('=', 1)
                    self.words[name] = value

    def write(self, path):
        with open(path, 'w') as out:
            print("# Written by 'tests/insns/run record'.", file=out)
            for name, value in self.words.items():
                print(f'{name}={value}', file=out)
            print('\n' + HEAD, *self.rows.values(), sep='\n', file=out)
            for cell, functions in self.functions.items():
                print(f'\nfunctions of {cell}', file=out)
                for name, n in sorted(functions.items(), key=lambda f: (-f[1], f[0])):
                    print(f'\t{name} {n:.1f}', file=out)


def record(path, words, cells, checked, categories):
    """@checked: the cells that match it are compared by function"""
    figures = Figures(path)
    if figures.words != words:
        figures = Figures(os.devnull)
        figures.words = words
    for cell, functions in cells.items():
        figures.rows[cell] = row(cell, functions, categories)
        if re.search(checked, cell):
            figures.functions[cell] = kept(functions)
    figures.write(path)


def grown(functions, figure):
    """[(more, name, before, now)], that which grew most first."""
    least = KEPT * sum(figure.values())
    rows = [(functions.get(name, 0) - figure.get(name, 0), name, figure.get(name, 0),
             functions.get(name, 0)) for name in {*functions, *figure}]
    return sorted((r for r in rows if r[0] > least), reverse=True)


def compare(path, words, cells):
    """Return: how many cells are beyond their figure."""
    figures = Figures(path)
    same = figures.words == words
    for name in {**figures.words, **words}:
        if figures.words.get(name) != words.get(name):
            print(f'     {name} is {words.get(name)}, the figures are of {figures.words.get(name)}')
    bad = 0
    for cell, functions in cells.items():
        now, figure = kept(functions), figures.functions.get(cell)
        if not figure:
            print(f'{"FAIL" if same else "    "} {cell}: {sum(now.values()):.0f}, no figure')
            bad += same
            continue
        times = sum(now.values()) / sum(figure.values())
        fails = same and times > MORE
        print(f'{"FAIL" if fails else "ok  " if same else "    "} {cell}: {sum(now.values()):.0f} '
              f'instructions, figure {sum(figure.values()):.0f}, {100 * (times - 1):+.2f} %')
        bad += fails
        for more, name, before, after in grown(now, figure)[:SHOWN] if times > MORE else []:
            print(f'     | {name}: {before:.1f} -> {after:.1f} (+{more:.1f})')
    return bad


def main(arguments):
    least = {'show': 2, 'compare': 3, 'record': 4}
    if not arguments or len(arguments) < least.get(arguments[0], sys.maxsize):
        sys.exit(__doc__)
    what, out, *rest = arguments
    cells = counted(out)
    if what == 'show':
        categories = Categories()
        print(HEAD, *(row(cell, cells[cell], categories) for cell in cells), sep='\n')
        return 0
    path = rest.pop(0)
    checked = rest.pop(0) if what == 'record' else None
    words = dict(word.split('=', 1) for word in rest)
    if what == 'record':
        record(path, words, cells, checked, Categories())
        return 0
    bad = compare(path, words, cells)
    print(f'{len(cells) - bad} passed, {bad} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
