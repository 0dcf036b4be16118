# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh, by suites of two VMs on one wire (tests/vm/pair):
#
#   ask, our device   eth0 10.0.1.1 --------- 10.0.1.2 eth0   peer, its device
#
# 'ask' writes jobs into the folder that both see, 'peer' runs them.
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

# The three ways to the other VM: index of our GID for each, empty if there is none.
find_gids() {
	gid4=$gid_index
	gid6=$(gid_of $dev $gid6_hex)
	gid_v1=$(gid_of $dev $gid_hex "IB/RoCE v1")
	[ -n "$gid6" ]
}

# ---- the side that is asked ---------------------------------------------------------

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

# both_begin: devices at both ends; does not return in the peer
both_begin() {
	need_link
	check "IPv6 GID" find_gids
	if [ "$ROLE" = peer ]; then
		cat >$share/peer.tmp <<-END
			peer_dev=$dev peer_gid4=$gid4 peer_gid6=$gid6 peer_gid_v1=$gid_v1
			peer_driver=$DRIVER peer_kernel=$KERNEL
		END
		mv $share/peer.tmp $share/peer
		check "jobs" serve
		check "$dev goes" link_down
		exit 0
	fi
	check "the peer is there" wait_for 300 [ -e $share/peer ] || exit 1
	. $share/peer
}

# ---- the side that asks ----------------------------------------------------------------

job=0
give() { # COMMAND: for the peer
	job=$((job + 1))
	echo "$*" >$share/job.tmp
	mv $share/job.tmp $share/job-$job
}
job_ended() { [ -e $share/done-$job ]; }
answer() { # the status of the last job, its output printed
	wait_for $((limit + 80)) job_ended || { echo "no answer from the peer"; return 1; }
	echo "peer ($(cat $share/done-$job)):"
	cat $share/out-$job
	[ "$(cat $share/done-$job)" = 0 ]
}
