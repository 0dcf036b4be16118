# shellcheck shell=sh disable=SC2154,SC2086,SC2034
# SPDX-License-Identifier: GPL-2.0
#
# ofedctrl status: which core is live, what is loaded, what uses it. Part of
# ofedctrl.

line() { printf '%-12s %s\n' "$1" "$2"; }

status_core() {
	case $(live_core | tr '\n' ' ') in
	"ofed_core ")	line core "ours (ofed_core)" ;;
	"ib_core ")	line core "the kernel's own (ib_core)" ;;
	"ofed_core ib_core ") line core "both: that cannot be" ;;
	*)	if [ -n "$(module_file ofed_core)" ]; then
			line core "none is loaded; ours will be (ofed_core)"
		else
			line core "none is loaded; the kernel's own will be (ib_core)"
		fi ;;
	esac
	unbuilt_packages | while read -r _package; do
		line "" "$_package has not been built for this kernel: dkms status"
	done
}

package_version() {
	dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
		sed -n 's/^installed //p'
}

# What has been installed and has no module for this kernel.
unbuilt_packages() {
	for _pair in ofed-core-dkms:ofed_core ofed-drivers-dkms:ofed_soft; do
		[ -n "$(module_file "${_pair#*:}")" ] ||
			[ -z "$(package_version "${_pair%:*}")" ] || echo "${_pair%:*}"
	done
}

# package_rows: 'NAME VERSION', a tab between. One question: dpkg reads all that it
# knows for each.
package_rows() {
	dpkg-query -W -f '${db:Status-Status} ${Package}\t${Version}\n' \
		ofed-core-dkms ofed-drivers-dkms ofed-utils 2>/dev/null |
		sed -n 's/^installed //p'
}

status_packages() {
	_text=$(package_rows | tr '\t' ' ' | paste -sd, | sed 's/,/, /g')
	line packages "${_text:-none}"
}

# ---- Secure Boot ----------------------------------------------------------------

lockdown() {
	sed -n 's/.*\[\(.*\)\].*/\1/p' /sys/kernel/security/lockdown 2>/dev/null
}

secure_boot() {
	for _var in /sys/firmware/efi/efivars/SecureBoot-*; do
		[ -e "$_var" ] || { echo off; return; }
		# Four bytes of attributes, one of value.
		case $(od -An -tu1 -j4 -N1 "$_var" 2>/dev/null | tr -d ' ') in
		1) echo on ;;
		*) echo off ;;
		esac
		return
	done
}

signatures_wanted() {
	case $(lockdown) in
	integrity|confidentiality) return 0 ;;
	esac
	[ "$(cat /sys/module/module/parameters/sig_enforce 2>/dev/null)" = Y ]
}

enrol_help() {
	cat <<'END'
dkms signs what it builds with its own key, which this machine has to be told of:
  mokutil --import /var/lib/dkms/mok.pub    (package mokutil; asks for a password)
  reboot, and choose 'Enroll MOK' on the blue screen, with that password
A machine without Secure Boot that was booted with 'lockdown=' or
'module.sig_enforce=1' wants that option gone instead.
END
}

key_is_enrolled() {
	command -v mokutil >/dev/null && [ -r /var/lib/dkms/mok.pub ] &&
		mokutil --test-key /var/lib/dkms/mok.pub 2>/dev/null | grep -q 'already enrolled'
}

status_signatures() {
	_lockdown=$(lockdown)
	line "secure boot" "$(secure_boot), lockdown ${_lockdown:-unknown}"
	signatures_wanted || return 0
	_any=$(for _m in ofed_core ofed_roce; do module_file $_m; done | head -n 1)
	[ -n "$_any" ] || return 0
	_signer=$(modinfo -F signer "$_any")
	if [ -z "$_signer" ]; then
		line "" "the kernel takes signed modules only; $_any is not signed"
	elif key_is_enrolled; then
		line "" "$_any is signed with a key that is enrolled ($_signer)"
		return 0
	else
		line "" "the kernel takes signed modules only; $_any is signed by '$_signer'"
	fi
	enrol_help | sed 's/^/             /'
}

# ---- modules --------------------------------------------------------------------

# The note with the build id lies before or behind the code, and a module that
# kept its debugging information can be huge.
most=2097152

unpacked() { # FILE
	case $1 in
	*.xz) xz -dc "$1" ;;
	*.gz) gzip -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*) cat "$1" ;;
	esac 2>/dev/null
}

# Bytes that grep can look for in one line.
one_line() { tr '\n\000' '..'; }

# is_on_disk NAME: what is loaded is what modprobe would load, by its build id.
# 2: there is no telling.
is_on_disk() {
	_note=/sys/module/$1/notes/.note.gnu.build-id
	_file=$(module_file "$1")
	[ -r "$_note" ] && [ -n "$_file" ] || return 2
	_id=$(tail -c 20 "$_note" | one_line)
	unpacked "$_file" | head -c $most | one_line | grep -qaF -e "$_id" && return 0
	[ "$(wc -c <"$_file")" -le $most ] || return 2
	[ "$(unpacked "$_file" | head -c 4 | wc -c)" -eq 4 ] || return 2
	return 1
}

status_module() { # NAME
	line "  $1" "$(refs "$1") reference(s)"
	{ holders_of "$1"; unnamed_refs "$1"; } | sed 's/^/      /'
	case " $ours " in
	*" $1 "*) ;;
	*) return 0 ;;
	esac
	case $(module_on_disk "$1") in
	gone)	echo "      its file is gone; the loaded one stays until it is unloaded" ;;
	other)	echo "      not the one installed now: unload and load it, or boot again" ;;
	esac
}

# module_on_disk NAME: gone, same, other or unknown
module_on_disk() {
	[ -n "$(module_file "$1")" ] || { echo gone; return; }
	is_on_disk "$1"
	case $? in
	0) echo same ;;
	1) echo other ;;
	*) echo unknown ;;
	esac
}

status_modules() {
	echo "modules"
	for _each in $(loaded_of $ours $theirs rdma_rxe siw); do
		status_module "$_each"
	done
	[ "$(id -u)" = 0 ] || echo "  (only root sees the processes of others)"
}

# ---- links ----------------------------------------------------------------------

# Devices are seen from the namespace that they are in alone; otherwise another than
# the first has a copy of them, without counters.
exclusive() {
	[ -n "${mode-}" ] || mode=$(rdma system show netns 2>/dev/null)
	case $mode in
	*exclusive*) ;;
	*) return 1 ;;
	esac
}

# link_type DEVICE [NETNS]: of 'rdma link add', by what only that driver shows;
# nothing for hardware
link_type() {
	_sys=/sys/class/infiniband/$1 _where=
	[ -z "${2-}" ] || ! exclusive || _where=$2
	if within "$_where" test -e "$_sys/ports/1/hw_counters/local_messages"; then
		echo roce
	elif within "$_where" test -e "$_sys/ports/1/hw_counters/tx_fpdus"; then
		echo iwarp
	elif within "$_where" test -e "$_sys/device"; then
		:
	elif within "$_where" test -e "$_sys/ports/1/hw_counters/sent_pkts"; then
		echo rxe
	elif within "$_where" grep -q RNIC "$_sys/node_type" 2>/dev/null; then
		echo siw
	fi
}

# The interface of a device, wherever that is
link_netdev() { # DEVICE
	cat "/sys/class/infiniband/$1/parent" 2>/dev/null ||
		cat "/sys/class/infiniband/$1/ports/1/gid_attrs/ndevs/0" 2>/dev/null ||
		# That of iWARP has no file, and is told to its own namespace alone.
		links_of '' | while IFS=$tab read -r _dev _netdev; do
			[ "$_dev" != "$1" ] || printf '%s\n' "$_netdev"
		done
}

# The same as words for a sentence.
link_where() { # DEVICE
	_netdev=$(link_netdev "$1")
	[ -z "$_netdev" ] || echo " on $_netdev"
}

# any_kept: is any link persistent?
any_kept() {
	for _conf in "$links"/*.conf; do
		[ ! -e "$_conf" ] || return 0
	done
	return 1
}

# kept_name DEVICE TYPE: the name by which it is persistent. Its interface is looked for with
# its namespace in 'places', as of all_links: others may have one of that name. From within
# a namespace with a name it is there twice.
kept_name() {
	printf '%s\n' "$places" | while IFS=$tab read -r _dev _netdev _in; do
		[ "$_dev" = "$1" ] || continue
		[ "$_in" != - ] || _in=
		kept_as "$2" "$_netdev" "$_in" && break
	done
}

# link_rows: 'DEVICE TYPE NETDEV STATE KEPT', tabs between; '-' for what there is
# not. KEPT is the name by which it is persistent.
link_rows() {
	places=
	! any_kept || places=$(all_links)
	for _dir in /sys/class/infiniband/*; do
		[ -e "$_dir" ] || continue
		_device=${_dir##*/}
		_is=$(link_type "$_device")
		_on=$(link_netdev "$_device")
		_state=$(cat "$_dir/ports/1/state" 2>/dev/null)
		_as=
		[ -z "$_is" ] || _as=$(kept_name "$_device" "$_is")
		printf '%s\t%s\t%s\t%s\t%s\n' "$_device" "${_is:-hardware}" "${_on:--}" \
			"${_state#*: }" "${_as:--}"
	done
}

# absent_rows: 'NAME FILE', a tab between, of what is persistent and not there
absent_rows() {
	for _conf in "$links"/*.conf; do
		[ -e "$_conf" ] || continue
		(read_link "$_conf" && find_netdev "$_conf" &&
		 [ -n "$(link_on "$netns" "$found" "$type")" ]) 2>/dev/null || {
			_name=${_conf##*/}
			printf '%s\t%s\n' "${_name%.conf}" "$_conf"
		}
	done
}

status_links() {
	echo "links"
	link_rows | while IFS=$tab read -r _device _is _on _state _as; do
		_text="$_device: $_is"
		[ "$_on" = - ] || _text="$_text on $_on"
		_text="$_text, $_state"
		case $_as in
		-) ;;
		"$_device") _text="$_text, persistent" ;;
		*) _text="$_text, persistent as $_as" ;;
		esac
		echo "  $_text"
	done
	absent_rows | while IFS=$tab read -r _name _conf; do
		echo "  $_name: persistent, not there ($_conf)"
	done
}

status() {
	line kernel "$kernel"
	status_core
	status_packages
	status_signatures
	scan_processes
	status_modules
	status_links
}
