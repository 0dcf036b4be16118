# SPDX-License-Identifier: GPL-2.0
#
# What an administrator says of connections in /sys/kernel/config/rdma_cm: the version of RoCE and
# the type of service of those that say nothing themselves. Both are looked for on the wire.
# DRIVER=roce, the other end in a namespace.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/cm.sh"
. "$VM/lib/wire.sh"

config=/sys/kernel/config/rdma_cm
of=$config/$dev
port=$of/ports/1
mode=$port/default_roce_mode
tos=$port/default_roce_tos

is() { grep -qxF "$2" "$1"; } # FILE VALUE
put() { echo "$2" >"$1"; } # FILE VALUE

connects() {
	talk tcp 7174 "rping -s -a $at -p 7174 -V -C 5" "rping -c -a $at -p 7174 -V -C 5"
}
# sent FILTER: a connection's packets from here match it, all of the queue pair's own
sent() {
	capture eth0 "$work/config.pcap" || return
	connects
	_well=$?
	capture_end "$work/config.pcap" || return
	_all=$(frames "")
	_such=$(frames "&& $1")
	echo "$_such of $_all"
	[ $_well -eq 0 ] && [ "$_all" -gt 10 ] && [ "$_such" -eq "$_all" ]
}
# QP1 has the MADs of the connection manager.
frames() { # MORE
	tshark -n -r "$work/config.pcap" -Y "eth.src == $mac && infiniband && infiniband.bth.destqp != 1 $1" |
		wc -l
}
mac=02:00:00:00:00:01

need_cm
check "the other end is another host" here_apart || exit 1
way 4
mac=$(cat /sys/class/net/eth0/address)
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
check "rdma_cm has a folder" [ -d $config ] || exit 1

# ---- what is there ------------------------------------------------------------------------
expect_fail "no folder of a device that is not there" mkdir $config/nosuch
check "a folder of $dev" mkdir $of || exit 1
check "version 2 is what connections have" is $mode "RoCE v2"
check "no type of service" is $tos 0
for bad in "RoCE v3" "2" ""; do
	expect_fail "no mode: '$bad'" put $mode "$bad"
done
for bad in 256 -1 x ""; do
	expect_fail "no type of service: '$bad'" put $tos "$bad"
done
check "version 2 still" is $mode "RoCE v2"
check "and no type of service" is $tos 0

# ---- on the wire ----------------------------------------------------------------------------
check "version 2: UDP" sent "udp.dstport == 4791 && ip.dsfield.dscp == 0"
check "a type of service" put $tos 104
# Two bits of the byte are of congestion control.
check "is in packets" sent "udp.dstport == 4791 && ip.dsfield.dscp == 26"
check "version 1" put $mode "IB/RoCE v1"
check "is what it says" is $mode "IB/RoCE v1"
check "and what is sent: no IP, the same traffic class" sent \
	"eth.type == 0x8915 && infiniband.grh.tclass == 104"
check "version 2 again" put $mode "RoCE v2"
check "no type of service again" put $tos 0
check "as before" sent "udp.dstport == 4791 && ip.dsfield.dscp == 0"

# ---- ends -----------------------------------------------------------------------------------
gone() { ! [ -e "/sys/class/infiniband/$1" ]; }
expect_fail "a folder of it stays" rmdir $of/ports
check "the device goes" rdma link delete $dev
check "all of it" wait_for 20 gone $dev
expect_fail "there is nothing to read then" cat $mode
expect_fail "nor to write" put $tos 5
check "another one of that name" rdma link add $dev type roce netdev eth0
check "begins anew" is $tos 0
check "the folder goes" rmdir $of
check "and the other end" leave_apart
