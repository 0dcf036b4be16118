# SPDX-License-Identifier: GPL-2.0
#
# Every module that the kernel's own modules.dep puts on top of the RDMA core
# loads by its name and goes again, leaving nothing. There is no hardware: what a
# module says then is the same on both cores, as lists/drivers-* has it from the
# kernel's own.
#
# Many rounds and a slow machine: the functions set variables and read files
# themselves, where a process could do it more briefly.
. "$VM/lib/guest.sh"

kver=$(uname -r)
dep=$CACHE/stock/$kver/lib/modules/$kver/modules.dep
if [ "$CORE" = ofed ]; then
	base="ofed_core ofed_uverbs ofed_ucma ofed_umad ib_umad"
else
	base="ib_core ib_uverbs ib_cm iw_cm rdma_cm rdma_ucm ib_umad"
	# Apart from ib_uverbs since 7.x.
	! modinfo ib_uverbs_support >/dev/null 2>&1 || base="$base ib_uverbs_support"
fi

# One name a line: the modules of the core itself, and what depends on one.
awk -F: '/drivers\/infiniband\/core\// {
	n = split($1, part, "/")
	sub(/\.ko.*/, "", part[n])
	print part[n]
}' "$dep" | sort >"$work/names"

# What modprobe.d makes of names, as far as the module is there: ' NAME>MODULE '
stands_for=" "
if [ "$CORE" = ofed ]; then
	while read -r verb name _ _ module _; do
		[ "$verb" = install ] && modinfo "$module" >/dev/null 2>&1 &&
			stands_for="$stands_for$name>$module "
	done <"$TOP/tools/modprobe.d/ofed.conf"
fi

find_module() { # NAME: sets module
	module=$1
	case $1 in *-*) module=$(echo "$1" | tr - _) ;; esac
	case $stands_for in
	*" $1>"*) module=${stands_for#* "$1">} module=${module%% *} ;;
	esac
}

is_loaded() { # MODULE
	while read -r _m _; do
		[ "$_m" != "$1" ] || return 0
	done </proc/modules
	return 1
}

# Sets new, modules that were not there before, and free, those of them that no
# other module uses.
find_new() {
	new= free=
	while read -r _m _ _ _users _; do
		case $before in *" $_m "*) continue ;; esac
		new="$new $_m"
		[ "$_users" != - ] || free="$free $_m"
	done </proc/modules
}

# All that came goes, users first.
drop_new() {
	find_new
	while [ -n "$new" ]; do
		# It cannot be said in one step what can go in the next.
		_were=$new
		# Unquoted on purpose: a list of words.
		[ -z "$free" ] || rmmod $free
		find_new
		[ "$new" != "$_were" ] || { echo "they stay:$new"; return 1; }
	done
}

find_users() { # sets users: the counts of the modules of the core
	users=
	for _m in $base; do
		[ ! -e "/sys/module/$_m" ] || {
			read -r _count <"/sys/module/$_m/refcnt"
			users="$users $_m:$_count"
		}
	done
}

find_place() { # MODULE: sets place: core, user of the core's symbols, or other
	place=other
	for _m in $base; do
		[ "$1" != "$_m" ] || place=core
		[ ! -e "/sys/module/$_m/holders/$1" ] || [ $place = core ] || place=user
	done
}

loads() { # NAME: modprobe; its line goes to the list, an error as a line too
	find_module "$1"
	if ! modprobe "$1" 2>"$work/stderr"; then
		cat "$work/stderr"
		echo "$1 fails: $(sed -n '$s/.*: //p' "$work/stderr")" >>"$work/lines"
		return
	fi
	is_loaded "$module" || { echo "it succeeds, $module is not there"; return 1; }
	find_place "$module"
	echo "$1 loads: $place" >>"$work/lines"
}

# drive NAME: load, look, unload
drive() {
	dmesg -C
	loads "$1" || return
	drop_new || return
	find_users
	[ "$users" = "$idle" ] || { echo "users:$users, not$idle"; return 1; }
	for _d in /sys/class/infiniband/*; do
		[ ! -e "$_d" ] || { echo "$_d is left"; return 1; }
	done
	! dmesg -t | grep -E 'Unknown symbol|disagrees about version|exports duplicate|no symbol version|[Ii]nvalid module format'
}

check "there are names: $(tr '\n' ' ' <"$work/names")" \
	[ "$(wc -l <"$work/names")" -ge 31 ]
# The core stays while its users come and go: what one leaves behind shows.
check "the core" modprobe -a ib_uverbs rdma_ucm || exit 1
before=" $(cut -d' ' -f1 /proc/modules | tr '\n' ' ')"
find_users
idle=$users
: >"$work/lines"
while read -r name <&3; do
	check "$name" drive "$name"
done 3<"$work/names"
same_as_list "every module does what it does on the stock core" "$work/lines" drivers
check "the core goes" unload_stack
check "no class of its is left" [ ! -e /sys/class/infiniband ]
