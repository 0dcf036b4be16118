# SPDX-License-Identifier: GPL-2.0
#
# perftest as Debian ships it: every operation on every transport that has it.
# Nothing here looks at the speed.
. "$VM/lib/guest.sh"

need_link
port=18600
n=$(count 5000)
[ "$n" -ge 20 ] || n=20

try() { # TRANSPORT PROGRAM [option...]
	transport=$1
	shift
	port=$((port + 1))
	check "$* $transport" duo $port "$@" -c "$transport" -d $dev -x $gid_index -n "$n" -F
	# A program that measured prints its table; zero exit alone proves little.
	check "$* $transport printed a result line" grep -qE '^ *[0-9]+ +[0-9]+ ' "$work/client"
}

for op in write read send; do
	try RC ib_${op}_bw -s 65536
	try RC ib_${op}_lat -s 64
done
try RC ib_atomic_bw -A FETCH_AND_ADD
try RC ib_atomic_bw -A CMP_AND_SWAP
try RC ib_atomic_lat -A FETCH_AND_ADD
for op in write send; do
	try UC ib_${op}_bw -s 4096
	try UC ib_${op}_lat -s 64
done
try UD ib_send_bw -s 1024
try UD ib_send_lat -s 64
try RC ib_send_bw -s 4096 -e
try RC ib_write_bw -s 4096 -b
try RC ib_write_bw -s 4096 -q 4
check "$dev goes" link_down
