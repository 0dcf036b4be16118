# SPDX-License-Identifier: GPL-2.0
#
# What the stack does, in a minute: run in the guest by 'run KERNEL demo'.
. "$VM/guest.sh"

title() { printf '\n--- %s\n' "$*"; }

title "loading the stack: modprobe rdma_rxe, modprobe ib_uverbs"
need_link
lsmod | grep -E '^(ofed|ib_|rdma)'

title "the device: ibv_devinfo"
check "ibv_devinfo" ibv_devinfo -d rxe0
cat "$work/output"

title "two endpoints, 1000 messages each way, every byte compared: ibv_rc_pingpong -c"
check "ibv_rc_pingpong" duo 18900 ibv_rc_pingpong -d rxe0 -g $gid_index -n 1000 -c
cat "$work/client"
rate=$(sed -n 's/.* = \(.*\) usec\/iter.*/\1/p' "$work/client")

title "RDMA WRITE of 64 KiB blocks: ib_write_bw"
check "ib_write_bw" duo 18901 ib_write_bw -d rxe0 -x $gid_index -n 200 -s 65536 -F
cat "$work/client"
bandwidth=$(awk '$1 == 65536 { print $4 }' "$work/client")

core=$(lsmod | awk '$1 == "ofed_core" || $1 == "ib_core" { print $1 }')
title "summary"
printf '%-22s %s\n' \
	"kernel" "$(uname -r)" \
	"RDMA core" "$core" \
	"driver" "rdma_rxe (Debian's own binary)" \
	"device" "rxe0 on eth0, $gid_ip" \
	"messages, both ways" "1000 of 4 KiB, data right, ${rate:-?} microseconds each" \
	"RDMA WRITE" "${bandwidth:-?} MB/s (emulated CPU: no measure of anything)"
