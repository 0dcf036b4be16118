# shellcheck shell=sh disable=SC2154,SC2086
# SPDX-License-Identifier: GPL-2.0
#
# Modules: loading, unloading, and what is in the way. Part of ofedctrl.

kernel=$(uname -r)

# module_name PATH: of a file, or of a module's name with any spelling
module_name() {
	_base=${1##*/}
	printf '%s\n' "${_base%.ko*}" | tr - _
}

loaded() {
	[ -d "/sys/module/$1" ] &&
		[ "$(cat "/sys/module/$1/initstate" 2>/dev/null)" != going ]
}

# module_file NAME: the file that modprobe would take, for this kernel
module_file() { modinfo -F filename "$1" 2>/dev/null | grep '^/'; }

# words of a list that are loaded
loaded_of() {
	for _m in "$@"; do
		! loaded "$_m" || printf '%s\n' "$_m"
	done
}

# live_core: ofed_core, ib_core or nothing
live_core() { loaded_of ofed_core ib_core; }

module_query() { # PATH
	_name=$(module_name "$1")
	if loaded "$_name"; then
		echo "$_name is loaded"
		return 0
	fi
	if [ -n "$(module_file "$_name")" ]; then
		echo "$_name is not loaded"
	else
		echo "$_name is not loaded, and not installed for kernel $kernel"
	fi
	return 1
}

# ---- loading ------------------------------------------------------------------

# What the kernel said since the mark, if it says it to us.
mark=
log_mark() {
	mark="ofedctrl[$$]: loading $1"
	echo "$mark" 2>/dev/null >/dev/kmsg || mark=
}
log_since() {
	[ -n "$mark" ] || return 0
	dmesg 2>/dev/null | awk -v mark="$mark" '
		index($0, mark) { text = ""; next }
		{ text = text $0 "\n" }
		END { printf "%s", text }'
}

explain_owner() { # OWNER of the symbols that are there already
	case $1 in
	ib_core|ib_uverbs|ib_cm|iw_cm|rdma_cm)
		say "the kernel's own RDMA core is loaded, and excludes ours (symbols owned by $1)."
		say "Unload it and its users, or boot again:"
		scan_processes
		holders_of "$1" | sed 's/^/    /' >&2
		say "    modprobe -r $(loaded_of $theirs | tr '\n' ' ')" ;;
	*)
		say "its symbols are there already, from $1: unload that first." ;;
	esac
}

explain_signature() {
	say "the kernel takes signed modules only, and does not know the signature of this one."
	enrol_help | sed 's/^/    /' >&2
}

# explain ANSWER: why the kernel refused it, in the words of an administrator.
# Sometimes the log has it, sometimes only what modprobe said.
explain() {
	_log=$(log_since)
	_owner=$(printf '%s\n' "$_log" |
		sed -n 's/.*exports duplicate symbol [^ ]* (owned by \([^)]*\)).*/\1/p' | head -n 1)
	if [ -n "$_owner" ]; then
		explain_owner "$_owner"
		return
	fi
	case $_log$1 in
	*Lockdown:*|*"unsigned module"*|*"with unavailable key"*|*"PKCS#7 signature"*| \
	*"Key was rejected"*|*"Required key not available"*)
		explain_signature ;;
	*"disagrees about version of symbol"*|*"Unknown symbol"*)
		say "it was built for another kernel or for another RDMA core; the kernel says:"
		printf '%s\n' "$_log" | grep -E 'disagrees about version|Unknown symbol' |
			head -n 4 | sed 's/^/    /' >&2 ;;
	*)	[ -z "$_log" ] || printf '%s\n' "$_log" | tail -n 4 | sed 's/^/    /' >&2 ;;
	esac
}

# attempt NAME CMD...: CMD loads NAME
attempt() {
	_name=$1
	shift
	log_mark "$_name"
	_answer=$("$@" 2>&1) && return 0
	say "$_name was not loaded: $(printf '%s\n' "$_answer" | tail -n 1)"
	explain "$_answer"
	return $failed
}

load_file() { # FILE
	for _dep in $(modinfo -F depends "$1" 2>/dev/null | tr , ' '); do
		modprobe "$_dep" || return
	done
	insmod "$1"
}

# explain_missing NAME: of one that is not there for this kernel
explain_missing() {
	case $1 in
	ofed_roce|ofed_ib|ofed_iwarp|ofed_soft) _package=ofed-drivers-dkms ;;
	ofed_*) _package=ofed-core-dkms ;;
	*) return ;;
	esac
	if [ -z "$(package_version "$_package")" ]; then
		say "it comes with the package $_package"
		return
	fi
	say "$_package is installed, but not built for this kernel:"
	if [ -e "/lib/modules/$kernel/build/Makefile" ]; then
		say "    dkms autoinstall -k $kernel    (and 'dkms status')"
	else
		say "    apt install linux-headers-$kernel, which dkms builds it with"
	fi
}

load_named() { # NAME
	[ -n "$(module_file "$1")" ] || {
		say "no module $1 for kernel $kernel"
		explain_missing "$1"
		return $missing
	}
	attempt "$1" modprobe "$1"
}

module_load() { # PATH
	need_root
	_name=$(module_name "$1")
	case $1 in
	*/*|*.ko|*.ko.*)
		[ -f "$1" ] || die $missing "no file $1"
		loaded "$_name" || attempt "$_name" load_file "$1" || return ;;
	*)	loaded "$_name" || load_named "$_name" || return ;;
	esac
	loaded "$_name" || die $failed "$_name did not stay"
	echo "$_name is loaded"
	[ "$_name" = ofed_core ] || return 0
	# The core's character devices are part of what programs call the stack.
	for _part in ofed_uverbs ofed_ucma ofed_umad; do
		loaded $_part || [ -z "$(module_file $_part)" ] || {
			load_named $_part || return
			echo "$_part is loaded"
		}
	done
}

# ---- unloading ----------------------------------------------------------------

# One look at all processes, into 'open_now': lines 'PID FILE'. By the device, by
# whatever path a program opened it.
open_now=
scan_processes() {
	set --
	for _file in /dev/infiniband/*; do
		[ ! -c "$_file" ] || set -- "$@" "$_file"
	done
	[ $# -gt 0 ] || return 0
	command -v fuser >/dev/null || {
		say "no fuser (package psmisc): processes are not looked for"
		return
	}
	# Names go to stderr, numbers to stdout; a letter behind one says how it is used.
	open_now=$(fuser "$@" 2>&1 | awk '
		$1 ~ "^/dev/infiniband/.*:$" {
			file = substr($1, 1, length($1) - 1)
			for (i = 2; i <= NF; i++)
				if (match($i, /^[0-9]+/))
					print substr($i, 1, RLENGTH), file
		}')
}

# open_files PATTERN: 'PID PROGRAM FILE' of each process that has such a file open
open_files() {
	printf '%s\n' "$open_now" | awk -v pattern="$1" '$2 ~ pattern' |
	while read -r _pid _file; do
		# A process chooses its name: no blanks, and nothing for a terminal.
		_comm=$(tr -cd 'A-Za-z0-9_.:/+-' <"/proc/$_pid/comm") 2>/dev/null
		echo "$_pid ${_comm:-?} $_file"
	done
}

# The files of /dev/infiniband that a module serves.
device_files() {
	case $1 in
	*_uverbs) echo '^/dev/infiniband/uverbs' ;;
	*_ucma|rdma_ucm) echo '^/dev/infiniband/rdma_cm$' ;;
	*_umad) echo '^/dev/infiniband/(umad|issm)' ;;
	*_core) echo '^/dev/infiniband/' ;;
	*) echo '^/nothing$' ;;
	esac
}

# devices_of NAME: those that keep it in use; all of them need a core and uverbs
devices_of() {
	for _dir in /sys/class/infiniband/*; do
		[ -e "$_dir" ] || continue
		case $1 in
		ofed_core|ofed_uverbs|ofed_soft|ib_core|ib_uverbs) ;;
		ofed_ib) [ -d "/sys/kernel/config/ofed_ib/hcas/${_dir##*/}" ] || continue ;;
		ofed_roce) [ "$(link_type "${_dir##*/}")" = roce ] || continue ;;
		ofed_iwarp) [ "$(link_type "${_dir##*/}")" = iwarp ] || continue ;;
		rdma_rxe) [ "$(link_type "${_dir##*/}")" = rxe ] || continue ;;
		*) continue ;;
		esac
		echo "${_dir##*/}"
	done
}

# holder_rows NAME [MODULE...]: 'module NAME', 'process PID PROGRAM FILE' or 'device
# NAME NETDEV' of each, tabs between; the modules named do not count
holder_rows() {
	_of=$1
	shift
	for _holder in /sys/module/"$_of"/holders/*; do
		[ -e "$_holder" ] || continue
		case " $* " in
		*" ${_holder##*/} "*) ;;
		*) printf 'module\t%s\n' "${_holder##*/}" ;;
		esac
	done
	open_files "$(device_files "$_of")" | while read -r _pid _program _file; do
		printf 'process\t%s\t%s\t%s\n' "$_pid" "$_program" "$_file"
	done
	devices_of "$_of" | while read -r _device; do
		printf 'device\t%s\t%s\n' "$_device" "$(link_netdev "$_device")"
	done
}

# holders_of NAME [MODULE...]: the same as sentences
holders_of() {
	holder_rows "$@" | awk -F '\t' '
		$1 == "module" { print "module " $2 }
		$1 == "process" { print "process " $2 " (" $3 ") has " $4 " open" }
		$1 == "device" { print "device " $2 ($3 == "" ? "" : " on " $3) }'
}

refs() { cat "/sys/module/$1/refcnt" 2>/dev/null || echo 0; }

# More references than the modules listed can have: something in the kernel.
unnamed_refs() { # NAME
	_n=$(refs "$1")
	for _holder in /sys/module/"$1"/holders/*; do
		[ ! -e "$_holder" ] || _n=$((_n - 1))
	done
	[ "$_n" -le 0 ] || echo "$_n reference(s) of the kernel itself"
}

refuse_held() { # NAME, then what holds it on stdin
	say "$1 is in use:"
	sed 's/^/    /' >&2
	return $busy
}

unload_one() { # NAME
	_answer=$(rmmod "$1" 2>&1) && { echo "$1 is unloaded"; return 0; }
	_who=$(holders_of "$1"; unnamed_refs "$1")
	if [ -n "$_who" ]; then
		printf '%s\n' "$_who" | refuse_held "$1"
		return
	fi
	say "$1 was not unloaded: $_answer"
	return $failed
}

module_unload() { # PATH
	need_root
	_name=$(module_name "$1")
	loaded "$_name" || { echo "$_name is not loaded"; return 0; }
	# The core goes with all that is ours above it, or not at all.
	_set=$_name
	[ "$_name" != ofed_core ] || _set=$(loaded_of $ours | tr '\n' ' ')
	scan_processes
	# Unquoted from here on: lists of names.
	_who=$(for _m in $_set; do holders_of "$_m" $_set; done | sort -u)
	if [ -n "$_who" ]; then
		printf '%s\n' "$_who" | refuse_held "$_name"
		return
	fi
	for _m in $_set; do
		unload_one "$_m" || return
	done
}
