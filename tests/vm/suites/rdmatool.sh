# SPDX-License-Identifier: GPL-2.0
#
# iproute2's rdma: output and errors as on the stock core.
. "$VM/guest.sh"

need_link
ip link add dummy9 address 02:00:00:00:00:09 type dummy
ip link set dummy9 up

# say CMD...: the command, its output and its exit status
say() {
	echo "\$ $*"
	"$@" 2>&1
	echo "= $?"
}
as() { # CMD...: the same without privilege
	echo "(unprivileged)"
	say as_user "$@"
}
session() {
	for opt in "-j" "-j -d" "-d" ""; do
		say rdma $opt dev
		say rdma $opt link
		say rdma $opt system
	done
	say rdma -j dev show rxe0
	say rdma -j dev show nosuch
	say rdma -j link show rxe0/1
	say rdma -j link show rxe0/2
	say rdma -j link show nosuch/1
	say rdma -j statistic show link rxe0/1
	say rdma -j statistic show link rxe0/2
	say rdma dev set rxe0 name blue0
	say rdma -j dev
	say rdma dev set blue0 name blue0
	say rdma dev set blue0 name 'bl%d'
	say rdma dev set blue0 name ''
	say rdma dev set blue0 name a/b
	say rdma dev set blue0 name 0123456789012345678901234567890123456789012345678901234567890123456789
	say rdma link add rxe1 type rxe netdev dummy9
	say rdma -j link
	say rdma dev set rxe1 name blue0
	say rdma dev set blue0 name rxe0
	say rdma link add rxe1 type rxe netdev eth1
	say rdma link add rxe2 type rxe netdev dummy9
	say rdma link add 'rxe%d' type rxe netdev eth1
	say rdma link add rxe3 type nosuch netdev eth1
	say rdma link add rxe3 type rxe netdev nosuch
	say rdma link add '' type rxe netdev eth1
	say rdma link add 0123456789012345678901234567890123456789012345678901234567890123456789 type rxe netdev eth1
	say rdma link delete rxe1
	say rdma link delete rxe1
	say rdma link delete nosuch
	say rdma -j system
	as rdma -j dev
	as rdma -j link
	as rdma -j system
	as rdma -j statistic show link rxe0/1
	as rdma dev set rxe0 name red0
	as rdma link add rxe5 type rxe netdev eth1
	as rdma link delete rxe0
	as rdma system set netns exclusive
	say rdma system set netns exclusive
	say rdma -j system
	say rdma system set netns shared
	say rdma -j system
	say rdma dev set rxe0 adaptive-moderation on
	say rdma -j dev
}
# Indexes depend on how many devices there were before: only rxe's own relation
# to its netdev is of interest, and names show that. Of counters, their names.
session | sed -E -e 's/"(ifindex|netdev_index)":[0-9]+/"\1":N/g' -e 's/^[0-9]+: /N: /' \
	-e 's/netdev_index [0-9]+/netdev_index N/' \
	-e '/"(sent_pkts|tx_packets)":/s/":[0-9]+/":N/g' >"$work/session"
same_as_list "rdma as on the stock core" "$work/session" rdmatool
ip link del dummy9
check "rxe0 goes" link_down
