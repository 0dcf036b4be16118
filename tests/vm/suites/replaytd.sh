# SPDX-License-Identifier: GPL-2.0
#
# Each input of the guided fuzzer's corpus of the test device once: what no other driver has.
DRIVER=testdev
. "$VM/suites/replay.sh"
