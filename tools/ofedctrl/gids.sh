# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: GPL-2.0
#
# ofedctrl gids: what -g of ibv_rc_pingpong and -x of perftest choose from. Part of
# ofedctrl.

# gid_version PORT INDEX: the same words for a kind, whatever the kernel calls it
gid_version() {
	case $(cat "${1%/ports/*}/node_type" 2>/dev/null) in
	*RNIC*)	echo iWARP; return ;;
	esac
	if [ "$(cat "$1/link_layer" 2>/dev/null)" = InfiniBand ]; then
		echo IB
		return
	fi
	case $(cat "$1/gid_attrs/types/$2" 2>/dev/null) in
	*v1)	echo v1 ;;
	*v2)	echo v2 ;;
	*)	echo - ;;
	esac
}

# gid_rows DEVICE: 'DEVICE PORT INDEX GID VERSION INTERFACE', tabs between, of each entry in use
gid_rows() {
	for _port in /sys/class/infiniband/"$1"/ports/*; do
		[ -d "$_port/gids" ] || continue
		# One process for a table of a thousand entries, nearly all of them empty.
		(cd "$_port/gids" && grep -Hv '^0000:0000:0000:0000:0000:0000:0000:0000$' -- *) 2>/dev/null |
		sed 's/:/ /' | sort -n |
		while read -r _index _gid; do
			_netdev=$(cat "$_port/gid_attrs/ndevs/$_index" 2>/dev/null)
			printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "${_port##*/}" "$_index" "$_gid" \
				"$(gid_version "$_port" "$_index")" "${_netdev:--}"
		done
	done
}

all_gid_rows() { # [DEVICE]
	if [ $# -gt 0 ]; then
		gid_rows "$1"
		return
	fi
	for _dir in /sys/class/infiniband/*; do
		[ ! -e "$_dir" ] || gid_rows "${_dir##*/}"
	done
}

gids_text() {
	awk -F '\t' '
	function row(device, port, i, gid, version, netdev) {
		printf "%-16s %4s %5s  %-39s  %-7s %s\n", device, port, i, gid, version, netdev
	}
	BEGIN { row("DEVICE", "PORT", "INDEX", "GID", "VERSION", "INTERFACE") }
	{ row($1, $2, $3, $4, $5, $6) }'
}

gids_json() {
	jq -Rn '[inputs | split("\t") | {
		device: .[0], port: (.[1] | tonumber), index: (.[2] | tonumber), gid: .[3],
		version: .[4], interface: (if .[5] == "-" then null else .[5] end)
	}]'
}

gids() { # [--json] [DEVICE]
	_as=gids_text
	if [ "${1-}" = --json ]; then
		_as=gids_json
		shift
	fi
	[ $# -le 1 ] || misuse "gids takes one device"
	if [ $# -eq 1 ]; then
		plain_names "$1"
		[ -e "/sys/class/infiniband/$1" ] || die "$missing" "no device $1"
	fi
	all_gid_rows "$@" | $_as
}
