#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# sysfs_dump.py NAME DIR...: one line 'mode NAME/path = content' for each entry
# below DIR. One process for thousands of files: a shell takes minutes in a VM
# without KVM. Symbolic links are printed, not followed.
import os
import stat
import sys


def entry(name, path):
    st = os.lstat(path)
    mode = stat.filemode(st.st_mode)
    if stat.S_ISLNK(st.st_mode):
        print(f"{mode} {name} -> {os.readlink(path)}")
    elif stat.S_ISDIR(st.st_mode):
        print(f"{mode} {name}/")
        for child in sorted(os.listdir(path)):
            entry(f"{name}/{child}", f"{path}/{child}")
    elif not st.st_mode & 0o444:
        print(f"{mode} {name}")
    else:
        try:
            with open(path, "rb") as f:
                text = f.read().decode(errors="backslashreplace")
        except OSError as e:
            print(f"{mode} {name} ! {e.strerror}")
            return
        # Content as it is: a missing newline at the end is a difference too.
        for line in text.splitlines(keepends=True) or [""]:
            print(f"{mode} {name} = {line!r}")


entry(sys.argv[1], os.path.realpath(sys.argv[2]))
