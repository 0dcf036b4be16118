# SPDX-License-Identifier: GPL-2.0
#
# A torus of 3 x 3 x 3 switches, an HCA at each, under Debian's opensm: 54 nodes; their
# subnet administration has answers of thousands of records.
. "$VM/lib/guest.sh"
. "$VM/lib/ib.sh"

torus() { # as ibnetdiscover writes it
	awk 'BEGIN {
		n = 3
		for (x = 0; x < n; x++) for (y = 0; y < n; y++) for (z = 0; z < n; z++) {
			name = x y z
			guid[name] = sprintf("02000000000a%d%d%d0", x, y, z)
			# Towards higher x, y, z by ports 2, 4, 6; the others come in by 3, 5, 7.
			peer[name, 2] = ((x + 1) % n) y z " 3"; peer[name, 3] = ((x + n - 1) % n) y z " 2"
			peer[name, 4] = x ((y + 1) % n) z " 5"; peer[name, 5] = x ((y + n - 1) % n) z " 4"
			peer[name, 6] = x y ((z + 1) % n) " 7"; peer[name, 7] = x y ((z + n - 1) % n) " 6"
			order[++nodes] = name
		}
		for (i = 1; i <= nodes; i++) {
			s = order[i]
			hca = guid[s]; sub(/0a/, "0b", hca)
			printf "switchguid=0x%s\nSwitch\t7 \"S-%s\"\t# \"sw%s\"\n", guid[s], guid[s], s
			printf "[1]\t\"H-%s\"[1]\t# 4xEDR\n", hca
			for (p = 2; p <= 7; p++) {
				split(peer[s, p], to, " ")
				printf "[%d]\t\"S-%s\"[%d]\t# 4xEDR\n", p, guid[to[1]], to[2]
			}
			printf "\ncaguid=0x%s\nCa\t1 \"H-%s\"\t# \"h%d\"\n", hca, hca, i
			printf "[1]\t\"S-%s\"[1]\t# 4xEDR\n\n", guid[s]
		}
	}'
}
torus >"$work/torus.topo"
check "27 switches and as many HCAs" fabric_up "$work/torus.topo" || exit 1
check "umad" wait_for 60 [ -c /dev/infiniband/umad26 ]
begin_opensm sm h14
check "all active" wait_for 300 all_active || exit 1

# saquery gives itself one second for all of an answer, in which opensm has to find 2916
# paths; the row is not about that.
records() { # COUNT OPTION...: of an answer of saquery
	_count=$1
	shift
	timeout -k 5 "$limit" saquery -C h1 -t 60000 "$@" >"$work/records" 2>&1 ||
		{ tail -n 5 "$work/records"; return 1; }
	_found=$(grep -c 'Record dump' "$work/records")
	echo "$_found records"
	[ "$_found" = "$_count" ]
}
check "54 nodes" records 54 NR
check "a path from each to each" records 2916 -p
rounds=$(count 200)
lossy() {
	echo 2000 >"$cable/losses" && echo "$SEED" >"$cable/seed" || return
	for _i in $(seq "$rounds"); do
		records 2916 -p || return
	done
	echo 0 >"$cable/losses"
}
cable=$(echo $configfs/cables/h1-1:* $configfs/cables/*:h1-1)
cable=$(ls -d $cable 2>/dev/null)
# About two of the segments of each answer.
check "the same while the cable of h1 loses packets, $rounds times" lossy
lost() {
	perfquery -C h1 "$(lid_of h1)" 1 | awk -F. '/^SymbolErrorCounter:/ { n = $NF } END { exit !n }'
}
check "segments were lost" lost

end_opensm sm
check "the torus goes" fabric_down
check "all modules" unload_stack
