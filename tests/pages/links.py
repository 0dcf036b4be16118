#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Links of the pages that lead nowhere: to a file that is not there, or a title that no page has.

usage: links.py [FOLDER]    of the tree; the status is 1 when there is one
"""
import os
import re
import sys

LINK = re.compile(r'\]\(([^)\s]+)\)')


def pages(top):
    for folder, below, files in os.walk(top):
        below[:] = [b for b in below if b not in ('.git', 'build')]
        yield from (os.path.join(folder, f) for f in files if f.endswith('.md'))


def text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def anchors(path):
    titles = re.findall(r'^#+ (.*)$', text(path), re.M)
    return {re.sub(r'[^\w\- ]', '', t.lower()).replace(' ', '-') for t in titles}


def broken(top):
    for page in sorted(pages(top)):
        plain = re.sub(r'^```.*?^```$', '', text(page), flags=re.M | re.S)
        for link in LINK.findall(plain):
            if re.match(r'[a-z]+:', link):
                continue
            name, _, title = link.partition('#')
            path = os.path.join(os.path.dirname(page), name) if name else page
            if not os.path.exists(path) or title and title not in anchors(path):
                yield f'{os.path.relpath(page, top)}: {link}'


if __name__ == '__main__':
    found = list(broken(sys.argv[1] if len(sys.argv) > 1 else '.'))
    print('\n'.join(found) if found else '', end='\n' if found else '')
    sys.exit(1 if found else 0)
