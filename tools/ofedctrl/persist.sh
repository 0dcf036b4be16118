# shellcheck shell=sh disable=SC2154,SC2086,SC2034
# SPDX-License-Identifier: GPL-2.0
#
# Persistent links: one file of links.d each, written, shown, removed, applied.
# Part of ofedctrl; the files are described in ofed-links(5).

# ---- a file ---------------------------------------------------------------------

link_file() { echo "$links/$1.conf"; }
kept() { [ -e "$(link_file "$1")" ]; }

# Bytes that have no business in names: they end up in paths and commands. An interface
# may have letters of any language.
device_name() {
	case $1 in
	''|[.-]*|*[!A-Za-z0-9_.-]*) return 1 ;;
	esac
	[ ${#1} -lt 64 ]
}
netdev_name() {
	case $1 in
	''|.|..|-*|*[[:cntrl:][:space:]/:]*) return 1 ;;
	esac
	[ ${#1} -lt 16 ]
}
netns_name() {
	case $1 in
	''|.|..|-*|*[[:cntrl:][:space:]/]*) return 1 ;;
	esac
}
mac_address() {
	printf '%s\n' "$1" | grep -qE '^([0-9a-f]{2}:){5}[0-9a-f]{2}$'
}

# key KEY VALUE: one line of a file; 1 if it cannot be
key() {
	case $1 in
	name) device_name "$2" && name=$2 ;;
	type) case $2 in ''|*[!a-z0-9_]*) false ;; *) type=$2 ;; esac ;;
	netdev) netdev_name "$2" && netdev=$2 ;;
	mac)	mac=$(printf '%s' "$2" | tr A-F a-f)
		mac_address "$mac" ;;
	netns)	netns_name "$2" && netns=$2 ;;
	options) case $2 in ''|*[!A-Za-z0-9_.=\ -]*) false ;; *) options=$2 ;; esac ;;
	*)	false ;;
	esac
}

tab=$(printf '\t') cr=$(printf '\r')
# trim TEXT: without blanks at its ends, into 'trimmed'
trim() {
	trimmed=$1
	while :; do
		case $trimmed in
		' '*|"$tab"*) trimmed=${trimmed#?} ;;
		*' '|*"$tab") trimmed=${trimmed%?} ;;
		*) return ;;
		esac
	done
}

# option_ok WORD: 'KEY=VALUE' of what 'rdma dev set' takes
option_ok() {
	case $1 in
	adaptive-moderation=on|adaptive-moderation=off) ;;
	*) return 1 ;;
	esac
}

# read_link FILE: sets name type netdev mac netns options; says what is wrong
read_link() {
	name='' type='' netdev='' mac='' netns='' options=''
	_n=0 _seen=' '
	while read -r _line || [ -n "$_line" ]; do
		_n=$((_n + 1))
		# Of an editor of another system.
		_line=${_line%"$cr"}
		case $_line in
		''|'#'*) continue ;;
		*=*) ;;
		*) say "$1:$_n: not KEY=VALUE: $_line"; return 1 ;;
		esac
		# One blank or many around '=' do no harm.
		trim "${_line%%=*}"
		_key=$trimmed
		trim "${_line#*=}"
		_value=$trimmed
		case $_seen in
		*" $_key "*) say "$1:$_n: $_key for the second time"; return 1 ;;
		esac
		_seen="$_seen$_key "
		key "$_key" "$_value" || { say "$1:$_n: cannot be: $_line"; return 1; }
	done <"$1"
	for _option in $options; do
		option_ok "$_option" || { say "$1: no such option: $_option"; return 1; }
	done
	if [ -z "$name" ] || [ -z "$type" ] || [ -z "$netdev$mac" ]; then
		say "$1: name, type and one of netdev and mac are needed"
		return 1
	fi
	if [ "$name.conf" != "${1##*/}" ]; then
		say "$1: the link's name is $name: the file has to be $name.conf"
		return 1
	fi
}

# ---- namespaces -----------------------------------------------------------------

# within NETNS CMD...: there, or here if it is empty
within() {
	_ns=$1
	shift
	if [ -z "$_ns" ]; then
		"$@"
	else
		ip netns exec "$_ns" "$@"
	fi
}

namespaces() { ip netns list 2>/dev/null | awk '{ print $1 }'; }

# links_of NETNS: 'DEVICE NETDEV' of each device with its interface, a tab between. rdma asks
# for one device after the other, and stops at one that has gone meanwhile. There may be no
# rdma, or no such namespace any more, of which 'ip netns' has kept the name.
links_of() {
	for _try in 1 2 3 4 5; do
		_answer=$(within "$1" rdma -j link show 2>/dev/null) && break
		[ -d /sys/class/infiniband ] && within "$1" rdma -V >/dev/null 2>&1 || return 0
		sleep 1
	done
	printf '%s\n' "$_answer" |
		jq -r '.[] | select(.netdev) | "\(.ifname)\t\(.netdev)"'
}

# link_on NETNS NETDEV TYPE: the link of that type on the interface. Users and udev
# rename links; an interface has one of a type at most.
link_on() {
	links_of "$1" | while IFS=$tab read -r _dev _netdev; do
		if [ "$_netdev" = "$2" ] && [ "$(link_type "$_dev" "$1")" = "$3" ]; then
			echo "$_dev"
			break
		fi
	done
}

# has_mac NETNS MAC: the interfaces that have it, a word each
has_mac() {
	within "$1" ip -j link show | jq -j --arg mac "$2" \
		'.[] | select(.link_type == "ether" and .address == $mac) | .ifname + " "'
}

# is_interface NAME: here, or in a namespace that has a name
is_interface() {
	[ ! -e "/sys/class/net/$1" ] || return 0
	for _in in $(namespaces); do
		! ip -n "$_in" link show dev "$1" >/dev/null 2>&1 || return 0
	done
	return 1
}

# ---- apply ----------------------------------------------------------------------

# find_netdev FILE: the interface of the link that was read, into 'found'.
# 1: it is not there (yet); 2: the file is at fault.
find_netdev() {
	found=$netdev
	if [ -n "$mac" ]; then
		_having=$(has_mac "$netns" "$mac")
		case $_having in
		'')	return 1 ;;
		esac
		if [ -n "$netdev" ]; then
			case " $_having" in
			*" $netdev "*) return 0 ;;
			esac
			return 1
		fi
		found=${_having%% *}
		[ "$found " = "$_having" ] && return 0
		say "$1: several interfaces have $mac: ${_having% }. Name one with netdev="
		return 2
	fi
	within "$netns" test -e "/sys/class/net/$netdev"
}

apply_options() { # DEVICE
	for _option in $options; do
		within "$netns" rdma dev set "$1" "${_option%%=*}" "${_option#*=}" || {
			say "$1: $_option was refused"
			return 1
		}
	done
}

# make_link FILE: of what was read and found
make_link() {
	_is=$(link_on "$netns" "$found" "$type")
	if [ -n "$_is" ]; then
		# Made by hand, or the last time was cut short. It keeps the name it has.
		apply_options "$_is"
		return
	fi
	_is=$(links_of "$netns" | awk -F '\t' -v n="$name" '$1 == n { print $2 }')
	if [ -n "$_is" ] || within "$netns" test -e "/sys/class/infiniband/$name"; then
		say "$1: there is a device $name${_is:+ on $_is} already"
		return 1
	fi
	_answer=$(within "$netns" rdma link add "$name" type "$type" netdev "$found" 2>&1) || {
		say "$name was not made: ${_answer:-rdma link add failed}"
		[ -n "$(modprobe -qn --show-depends "rdma-link-$type" 2>/dev/null)" ] ||
			say "no module for links of type $type on kernel $kernel"
		return 1
	}
	apply_options "$name" || return
	echo "$name on $found${netns:+ in $netns}"
}

apply_file() { # FILE
	read_link "$1" || return
	[ -z "$only" ] || concerns_only || return 0
	if [ -n "$netns" ] && [ ! -e "/run/netns/$netns" ]; then
		echo "$name waits for the namespace $netns"
		return 0
	fi
	find_netdev "$1"
	case $? in
	0)	make_link "$1" ;;
	1)	echo "$name waits for ${netdev:-$mac}${netns:+ in $netns}" ;;
	*)	return 1 ;;
	esac
}

# Is the interface that appeared the one of the link that was read?
concerns_only() {
	[ "$netdev" = "$only" ] && return 0
	[ -z "$netdev" ] && [ -n "$mac" ] &&
		case " $(has_mac "$netns" "$mac")" in *" $only "*) ;; *) false ;; esac
}

persist_apply() { # [--netdev NETDEV] [LINK...]
	only=
	case ${1-} in
	--netdev)
		[ $# -ge 2 ] || misuse "--netdev wants a network device"
		# A unit has the path of it in /sys.
		only=${2##*/}
		netdev_name "$only" || misuse "not the name of a network device: $2"
		# By then that one may have gone, or have another name. systemd leaves out the
		# slash at its beginning.
		case $2 in
		*/*) ;;
		*) is_interface "$only" || die $missing "no network device $only" ;;
		esac
		shift 2 ;;
	esac
	plain_names "$@"
	need_root
	# Boot and the appearance of a network device may be at it at once.
	{ exec 9>/run/ofed-links.lock && flock 9; } || die $failed "no lock"
	_status=0
	if [ $# -gt 0 ]; then
		for _link in "$@"; do
			kept "$_link" || { say "no persistent link $_link"; _status=$missing; continue; }
			apply_file "$(link_file "$_link")" || _status=$failed
		done
		return $_status
	fi
	for _conf in "$links"/*.conf; do
		[ ! -e "$_conf" ] || apply_file "$_conf" || _status=$failed
	done
	return $_status
}

# ---- save, show, remove ---------------------------------------------------------

plain_names() {
	for _link in "$@"; do
		case $_link in
		-*) misuse "no such option: $_link" ;;
		esac
		device_name "$_link" || misuse "not the name of a link: $_link"
	done
}

# kept_as TYPE NETDEV NETNS: the name by which the link of that type on the
# interface is kept
kept_as() {
	for _conf in "$links"/*.conf; do
		[ -e "$_conf" ] || continue
		(read_link "$_conf" && [ "$type" = "$1" ] && [ "$netns" = "$3" ] &&
		 find_netdev "$_conf" && [ "$found" = "$2" ] && echo "$name") 2>/dev/null && return
	done
	return 1
}

# rename_file OLD NEW: what else an administrator wrote stays
rename_file() {
	_old=$(link_file "$1") _file=$(link_file "$2")
	sed "s/^[[:blank:]]*name[[:blank:]]*=.*/name=$2/" "$_old" >"$_file.new" &&
		mv "$_file.new" "$_file" && rm -f "$_old" || return
	echo "$2 is kept in $_file, no longer as $1"
}

# can_be_kept NAME NETDEV NETNS: could a file that has them be read?
can_be_kept() {
	if ! device_name "$1"; then
		say "'$1' is not the name of a persistent link: 'rdma dev set' gives it another"
	elif ! netdev_name "$2"; then
		say "$1 is not kept: '$2' is not the name of an interface in a file"
	elif [ -n "$3" ] && ! netns_name "$3"; then
		say "$1 is not kept: '$3' is not the name of a namespace in a file"
	else
		return 0
	fi
	return 1
}

# save_link NAME NETDEV NETNS: keeps what an administrator wrote, where it holds
save_link() {
	can_be_kept "$@" || return
	_type=$(link_type "$1" "$3")
	_file=$(link_file "$1")
	_as=$(kept_as "$_type" "$2" "$3")
	if [ "$_as" = "$1" ]; then
		echo "$1 is kept already"
		return 0
	elif [ -n "$_as" ]; then
		rename_file "$_as" "$1"
		return
	fi
	# In one write, with a failure that is seen: half a file would take a whole one's place.
	printf '%s\n' "# ofed-links(5); written by ofedctrl persist" "name=$1" \
		"type=$_type" "netdev=$2" ${3:+"netns=$3"} >"$_file.new" &&
		mv "$_file.new" "$_file" || { rm -f "$_file.new"; return 1; }
	echo "$1 is kept in $_file"
}

# all_links: 'NAME NETDEV NETNS', tabs between, of every link there is, here and in
# namespaces that have a name
all_links() {
	links_of '' | sed "s/\$/$tab-/"
	namespaces | while read -r _in; do
		links_of "$_in" </dev/null | while IFS= read -r _row; do
			printf '%s\t%s\n' "$_row" "$_in"
		done
	done
}

persist_save() { # [LINK...]
	plain_names "$@"
	need_root
	mkdir -p "$links" || return $failed
	_list=$(mktemp) || return $failed
	all_links >"$_list"
	_status=0 _done=' '
	while IFS=$tab read -r _name _on _in; do
		[ $# -eq 0 ] || case " $* " in *" $_name "*) ;; *) continue ;; esac
		[ "$_in" != - ] || _in=
		# In shared mode a device is seen from every namespace.
		case $_done in *" $_name "*) continue ;; esac
		_done="$_done$_name "
		if [ -n "$(link_type "$_name" "$_in")" ]; then
			save_link "$_name" "$_on" "$_in" || _status=$failed
		elif [ $# -gt 0 ]; then
			say "$_name is not made by 'rdma link add': there is nothing to keep"
			_status=$failed
		fi
	done <"$_list"
	rm -f "$_list"
	for _name in "$@"; do
		case $_done in
		*" $_name "*) ;;
		*) say "no link $_name"; _status=$missing ;;
		esac
	done
	return $_status
}

persist_show() { # [LINK...]
	plain_names "$@"
	_status=0
	[ $# -gt 0 ] || {
		for _conf in "$links"/*.conf; do
			[ ! -e "$_conf" ] || set -- "$@" "$(basename "$_conf" .conf)"
		done
	}
	for _link in "$@"; do
		kept "$_link" || { say "no persistent link $_link"; _status=$missing; continue; }
		read_link "$(link_file "$_link")" || { _status=$failed; continue; }
		echo "$name type $type${netdev:+ netdev $netdev}${mac:+ mac $mac}${netns:+ netns $netns}${options:+ options $options}"
	done
	return $_status
}

persist_remove() { # LINK...
	[ $# -gt 0 ] || misuse "which links?"
	plain_names "$@"
	need_root
	_status=0
	for _link in "$@"; do
		kept "$_link" || { say "no persistent link $_link"; _status=$missing; continue; }
		rm -f "$(link_file "$_link")" || { _status=$failed; continue; }
		echo "$_link is not kept any more; the link itself stays until the next boot"
	done
	# 85-ofed-links.rules has nothing to do without it.
	rmdir --ignore-fail-on-non-empty "$links" 2>/dev/null
	return $_status
}

persist() {
	_verb=${1:-save}
	[ $# -eq 0 ] || shift
	case $_verb in
	save) persist_save "$@" ;;
	show) persist_show "$@" ;;
	remove) persist_remove "$@" ;;
	apply) persist_apply "$@" ;;
	*) misuse "no such command: persist $_verb" ;;
	esac
}
