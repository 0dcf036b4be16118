#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of originality: a made-up source, and files that have some of its lines."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = """/* Theirs. */
#include <linux/slab.h>

static int pick(struct table *t, int key)
{
	int ret;

	t->count += 1;
	t->last = key;
	if (t->count > MOST)
		return -ENOSPC;
	ret = fill(t, key, "a /* b");
	if (ret)
		goto out;
	note(t, ret);
	wake(t);
out:
	return ret;
}
"""
BODY = SOURCE[SOURCE.index("\tt->count += 1"):SOURCE.index("out:\n")]


class Originality(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.top)
        os.mkdir(self.path("tests"))
        shutil.copy(os.path.join(HERE, "originality"), self.path("tests"))
        self.write("tests/originality-except", "")
        self.write("cache/linux-source-1/lib/pick.c", SOURCE)
        self.write("cache/linux-source-1/kernel/other.c", SOURCE.replace("t->", "o->"))

    def path(self, *names):
        return os.path.join(self.top, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_on(self, text, status):
        """What it prints of our.c with @text, line by line, but for the sum."""
        self.write("our.c", text)
        done = subprocess.run(
            [sys.executable, "-B", "tests/originality", "our.c"], cwd=self.top,
            env={**os.environ, "OFED_CACHE": self.path("cache")},
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout.splitlines()[:-1]

    def test_copy(self):
        self.assertEqual(self.run_on("int x;\n" + BODY, 1),
                         ["our.c:2-10: 7 lines as in linux-source-1/lib/pick.c:8"])

    def test_copy_in_other_clothes(self):
        text = BODY.replace("\t", "  ").replace(" += ", "+=")
        text = text.replace("\n", " // ours\n\n").replace("(t, ", "(/* it */ t,\t")
        text = text.replace("goto out", "return ret")
        self.assertEqual(len(self.run_on(text, 1)), 1)

    def test_six_lines_are_a_run_and_five_are_none(self):
        lines = BODY.splitlines(keepends=True)
        self.assertEqual(len(self.run_on("".join(lines[:8]), 1)), 1)
        self.assertEqual(self.run_on("".join(lines[:7]), 0), [])

    def test_what_changes_a_line_in_the_middle(self):
        self.assertEqual(self.run_on(BODY.replace("fill(t, key", "fill(t, 0"), 0), [])
        self.assertEqual(self.run_on(BODY.replace("a /* b", "a"), 0), [])

    def test_common_lines(self):
        text = "#include <a.h>\n#ifdef B\n{\n}\nelse\nbreak;\nreturn ret;\nint ret;\n"
        self.write("cache/linux-source-1/lib/pick.c", text)
        self.assertEqual(self.run_on(text, 0), [])

    def test_folders_that_do_not_count(self):
        self.assertEqual(self.run_on(BODY.replace("t->", "o->"), 0), [])

    def test_exception(self):
        self.write("tests/originality-except", "# Why.\nour.c 7 t->count += 1;\n")
        self.assertEqual(self.run_on(BODY, 0), [])
        self.write("tests/originality-except", "# Why.\nour.c 6 t->count += 1;\n")
        self.assertEqual(len(self.run_on(BODY, 1)), 1)

    def test_a_source_that_changes(self):
        self.run_on(BODY, 1)
        self.run_on(BODY, 1)
        self.write("cache/linux-source-1/lib/pick.c", SOURCE.replace("wake(t)", "wake()"))
        self.assertEqual(self.run_on(BODY, 1),
                         ["our.c:1-8: 6 lines as in linux-source-1/lib/pick.c:8"])
        self.write("cache/linux-source-1/lib/pick.c", "")
        self.assertEqual(self.run_on(BODY, 0), [])

    def test_two_sources(self):
        self.write("cache/linux-source-2/include/rdma/pick.h", "\n" + SOURCE)
        self.assertEqual(self.run_on(BODY, 1),
                         ["our.c:1-9: 7 lines as in linux-source-1/lib/pick.c:8",
                          "our.c:1-9: 7 lines as in linux-source-2/include/rdma/pick.h:9"])

    def test_damaged_index(self):
        self.run_on(BODY, 1)
        self.write("cache/originality/linux-source-1", "nonsense")
        self.run_on(BODY, 1)

    def test_no_source(self):
        shutil.rmtree(self.path("cache"))
        self.run_on(BODY, 77)


if __name__ == "__main__":
    unittest.main()
