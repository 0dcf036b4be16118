# SPDX-License-Identifier: GPL-2.0
#
# libfabric's fi_pingpong over verbs, between two namespaces and on one host: messages
# and reliable datagrams (ofi_rxm), data compared.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
n=$(count 500)
[ "$n" -ge 10 ] || n=10
port=17590
size=4096

at_port() { listens_at $port $_end; }
# Now and then ofi_rxm of libfabric ends by signal 11 when all is done, at either end; 1.17 says so.
moved_all() { # FILE
	grep -qE "^[0-9]+k? +$n +=$n " "$1"
}
crashed() { [ "$1" -eq 139 ] || has "terminated with signal 11" "$2"; } # STATUS FILE
crashed_late() {
	moved_all "$work/client" && moved_all "$work/server" &&
		{ crashed $_client "$work/client" || crashed $_status "$work/server"; }
}
# What it has printed by then is not lost.
fi="stdbuf -oL fi_pingpong"
pingpong() { # WHERE PROVIDER OPTION...
	_end=$there _to=$address
	[ "$1" = there ] || _end= _to=$home
	_provider=$2
	shift 2
	port=$((port + 1))
	serve at_port $_end $fi -p "$_provider" -c -I $n -S $size -B $port "$@" &&
		{ asks $fi -p "$_provider" -c -I $n -S $size -P $port "$@" $_to ||
			crashed_late; }
}
for where in there here; do
	check "fi_pingpong, msg, $where" carries $((n * size)) pingpong $where verbs -e msg
	check "fi_pingpong, rdm, $where" carries $((n * size)) pingpong $where "verbs;ofi_rxm" -e rdm
	check "fi_pingpong, rdm, tagged, $where" \
		carries $((n * size)) pingpong $where "verbs;ofi_rxm" -e rdm -m tagged
done

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
