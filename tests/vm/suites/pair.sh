# SPDX-License-Identifier: GPL-2.0
#
# Two VMs on one wire (tests/vm/pair):
#
#   ask, our device   eth0 10.0.1.1 --------- 10.0.1.2 eth0   peer, its device
#
# 'ask' writes jobs into the folder that both see, 'peer' runs them.
. "$VM/guest.sh"

share=/run/share
case $ROLE in
ask) number=1 other=2 ;;
peer) number=2 other=1 ;;
esac
gid_hex=0000:0000:0000:0000:0000:ffff:0a00:010$number
gid6_hex=fd00:0000:0000:0000:0000:0000:0000:000$number

net_up() {
	modprobe virtio_net || return
	wait_for 10 [ -e /sys/class/net/eth0 ] || return
	sysctl -qw net.ipv6.conf.eth0.accept_dad=0
	ip link set eth0 mtu 4200
	ip addr add 10.0.1.$number/24 dev eth0
	ip addr add fd00::$number/64 dev eth0
	ip link set eth0 up
}
net_down() { ip link set eth0 down; }

# ---- peer --------------------------------------------------------------------------

serve() {
	_job=1
	while ! [ -e $share/end ]; do
		if [ -e $share/job-$_job ]; then
			timeout -k 5 "$limit" sh $share/job-$_job >$share/out-$_job 2>&1
			echo $? >$share/status.tmp
			mv $share/status.tmp $share/done-$_job
			_job=$((_job + 1))
		else
			sleep 0.1
		fi
	done
}

if [ "$ROLE" = peer ]; then
	need_link
	gid6_index=$(gid_of $dev $gid6_hex)
	echo "peer_dev=$dev peer_gid=$gid_index peer_gid6=$gid6_index" >$share/peer.tmp
	mv $share/peer.tmp $share/peer
	check "jobs" serve
	check "$dev goes" link_down
	exit 0
fi

# ---- ask ---------------------------------------------------------------------------

need_link
gid6_index=$(gid_of $dev $gid6_hex)
check "IPv6 GID" [ -n "$gid6_index" ]
check "the peer is there" wait_for 300 [ -e $share/peer ] || exit 1
. $share/peer

job=0
give() { # COMMAND: for the peer
	job=$((job + 1))
	echo "$*" >$share/job.tmp
	mv $share/job.tmp $share/job-$job
}
job_ended() { [ -e $share/done-$job ]; }
answer() { # the status of the last job, its output printed
	wait_for 200 job_ended || { echo "no answer from the peer"; return 1; }
	echo "peer ($(cat $share/done-$job)):"
	cat $share/out-$job
	[ "$(cat $share/done-$job)" = 0 ]
}
# 'reachable PORT' on the peer would take its one connection: look at its table.
listens="awk -v p=:\$(printf %04X PORT) '\$4 == \"0A\" && substr(\$2, length(\$2) - 4) == p { f = 1 } END { exit !f }' /proc/net/tcp /proc/net/tcp6"

# there PORT: the peer is server, we are client. COMMAND has DEV and GID in it.
spell() { # DEV GID COMMAND...
	_d=$1 _g=$2
	shift 2
	echo "$*" | sed "s/@DEV/$_d/g; s/@GID/$_g/g"
}
asks() { # PORT FAMILY COMMAND...: we are the client
	_port=$1 _peer=$peer_gid _own=$gid_index
	[ "$2" = 4 ] || _peer=$peer_gid6 _own=$gid6_index
	shift 2
	give "$(spell $peer_dev $_peer "$@") -p $_port & s=\$!
		i=0
		until $(echo "$listens" | sed "s/PORT/$_port/") || [ \$i -ge 200 ]; do
			sleep 0.1; i=\$((i + 1))
		done
		touch $share/listening-$_port
		wait \$s"
	wait_for 60 [ -e $share/listening-$_port ]
	timeout -k 5 "$limit" $(spell $dev $_own "$@") -p $_port 10.0.1.$other >"$work/client" 2>&1
	_status=$?
	cat "$work/client"
	answer && [ $_status -eq 0 ]
}
serves() { # PORT FAMILY COMMAND...: we are the server
	_port=$1 _peer=$peer_gid _own=$gid_index
	[ "$2" = 4 ] || _peer=$peer_gid6 _own=$gid6_index
	shift 2
	timeout -k 5 "$limit" $(spell $dev $_own "$@") -p $_port >"$work/server" 2>&1 &
	_server=$!
	wait_for 30 listening $_port
	give "$(spell $peer_dev $_peer "$@") -p $_port 10.0.1.$number"
	answer
	_answer=$?
	[ $_answer -eq 0 ] || kill $_server 2>/dev/null
	wait $_server
	_status=$?
	cat "$work/server"
	[ $_answer -eq 0 ] && [ $_status -eq 0 ]
}
port=18900
both() { # NAME FAMILY COMMAND...
	_what=$1
	shift
	port=$((port + 2))
	check "$_what, to the peer" asks $port "$@"
	check "$_what, from the peer" serves $((port + 1)) "$@"
}

n=$(count 2000)
bandwidth() { # FAMILY MTU TRANSPORT SIZE OPERATION...
	_family=$1 _mtu=$2 _transport=$3 _size=$4
	shift 4
	for _op in "$@"; do
		both "ib_${_op}_bw $_transport, MTU $_mtu, IPv$_family" $_family \
			ib_${_op}_bw -c $_transport -d @DEV -x @GID -n 50 -s $_size -m $_mtu -F
	done
}
# Every way there is; IPv6 in full only in a full run: what is above is the same.
for family in 4 6; do
	for kind in rc uc ud; do
		both "ibv_${kind}_pingpong, IPv$family" $family \
			ibv_${kind}_pingpong -d @DEV -g @GID -n "$n" -c
	done
	for mtu in 1024 4096; do
		both "ibv_rc_pingpong, 64 KiB, MTU $mtu, IPv$family" $family \
			ibv_rc_pingpong -d @DEV -g @GID -n 20 -s 65536 -m $mtu -c
	done
	[ $family = 4 ] || [ "$SCALE" = 1 ] || continue
	for mtu in 1024 4096; do
		bandwidth $family $mtu RC 65536 send write read
		bandwidth $family $mtu UC 4096 send write
	done
	both "ib_send_lat UD, IPv$family" $family \
		ib_send_lat -c UD -d @DEV -x @GID -n 50 -s 512 -F
	for op in FETCH_AND_ADD CMP_AND_SWAP; do
		both "ib_atomic_lat $op, IPv$family" $family \
			ib_atomic_lat -A $op -d @DEV -x @GID -n 50 -F
	done
done

# rdma_rxe leaves membership to whoever uses it.
ipv4_group=239.1.2.3 ipv6_group=ff0e::1:2:3
give "ip addr add $ipv4_group/32 dev eth0 autojoin; ip addr add $ipv6_group/128 dev eth0 autojoin"
check "the peer joins" answer
group() { # FAMILY MGID: both ways
	_peer=$peer_gid _own=$gid_index
	[ "$1" = 4 ] || _peer=$peer_gid6 _own=$gid6_index
	rm -f $share/joined
	give "$programs/mcast $peer_dev 0 $2 50 receive $share/joined"
	wait_for 20 [ -e $share/joined ] &&
		"$programs/mcast" $dev "$_own" "$2" 50 send
	_status=$?
	answer && [ $_status -eq 0 ] || return
	rm -f $share/joined
	timeout -k 5 "$limit" "$programs/mcast" $dev 0 "$2" 50 receive $share/joined \
		>"$work/receiver" 2>&1 &
	_receiver=$!
	wait_for 20 [ -e $share/joined ] &&
		give "$programs/mcast $peer_dev $_peer $2 50 send" && answer
	_status=$?
	wait $_receiver
	_received=$?
	cat "$work/receiver"
	[ $_status -eq 0 ] && [ $_received -eq 0 ]
}
check "IPv4 group, to the peer and from it" group 4 ::ffff:$ipv4_group
check "IPv6 group, to the peer and from it" group 6 $ipv6_group
zero() { # COUNTER
	_value=$(cat /sys/class/infiniband/$dev/ports/1/hw_counters/$1)
	[ "$_value" = 0 ] || { echo "$1 = $_value"; return 1; }
}
check "every ICRC was right" zero rx_icrc_errors
check "every packet was well-formed" zero rx_malformed
grep . /sys/class/infiniband/$dev/ports/1/hw_counters/* | sed 's|.*/||' >"$OUT/counters"
: >$share/end
check "$dev goes" link_down
