# SPDX-License-Identifier: GPL-2.0
#
# uDAPL as Debian ships it, by rdma_cm: dtest and dapltest, data compared, between two
# namespaces and on one host.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
n=$(count 500)
[ "$n" -ge 10 ] || n=10

netdev_here=eth0 netdev_there=eth1
if [ $DRIVER = ib ]; then
	netdev_here=$ipoib_here netdev_there=$ipoib_there
fi
# dtest's client takes the name of the adapter from the server.
ia() { # NETDEV
	echo "ofed u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 \"$1 0\" \"\""
}
ia $netdev_here >"$work/here.conf"
ia $netdev_there >"$work/there.conf"
export DAT_OVERRIDE=$work/here.conf

end_of() { # WHERE
	_end="$there env DAT_OVERRIDE=$work/there.conf" _to=$address
	[ "$1" = there ] || _end= _to=$home
}
says_so() { has "$_text" "$work/server"; }
dtest_to() { # WHERE OPTION...
	end_of $1
	shift
	_text="Server is waiting"
	serve says_so $_end dtest -P ofed "$@" && asks dtest -P ofed -h $_to "$@"
}
dapltest_to() { # WHERE OPERATION...
	end_of $1
	shift
	_text="Service Point Ready"
	serve says_so $_end dapltest -T S -D ofed || return
	timeout -k 5 "$limit" dapltest -T T -s $_to -D ofed -i $n -V -t 2 -w 2 "$@"
	_client=$?
	dapltest -T Q -s $_to -D ofed
	wait $_server
	_status=$?
	cat "$work/server"
	[ $_client -eq 0 ] && [ $_status -eq 0 ]
}
for where in there here; do
	check "dtest $where" carries $((n * 64)) dtest_to $where -b 4096
	check "dtest -W -D $where" carries $((n * 64)) dtest_to $where -W -D -B 4 -b 4096
	check "dapltest, SEND, $where" carries $((n * 4096)) \
		dapltest_to $where client SR 4096 2 server SR 4096 2
	check "dapltest, WRITE and READ, $where" carries $((n * 16384)) \
		dapltest_to $where client SR 256 server RW 16384 client RR 16384 server SR 256
done

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
