# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Words of ofedctrl(8) for bash.

_ofedctrl_modules() {
	modinfo -F name ofed_core ofed_uverbs ofed_ucma ofed_umad ofed_ucm ofed_soft ofed_roce \
		ofed_ib ofed_iwarp 2>/dev/null
}

_ofedctrl_kept() {
	local conf
	for conf in /etc/ofed/links.d/*.conf; do
		[ -e "$conf" ] || continue
		conf=${conf##*/}
		echo "${conf%.conf}"
	done
}

_ofedctrl_names() { # FOLDER
	local path
	for path in "$1"/*; do
		[ ! -e "$path" ] || printf '%s\n' "${path##*/}"
	done
}

# Parameters that a loaded module lets one change, as -p takes them.
_ofedctrl_parameters() {
	local file
	for file in /sys/module/ofed_*/parameters/*; do
		[ ! -e "$file" ] || echo "${file##*/}="
	done
}

# What may follow a command, a line each; the word before the last is $1.
_ofedctrl_after() {
	case $1 in
	persist) printf '%s\n' save show remove apply ;;
	status)	echo --json ;;
	gids|qp) echo --json; _ofedctrl_names /sys/class/infiniband ;;
	save)	_ofedctrl_names /sys/class/infiniband ;;
	show|remove) _ofedctrl_kept ;;
	apply)	echo --netdev; _ofedctrl_kept ;;
	--netdev) _ofedctrl_names /sys/class/net ;;
	-k)	_ofedctrl_modules ;;
	-p)	_ofedctrl_parameters ;;
	ofedctrl) printf '%s\n' -k -l -u -q -c -p -h --help --version status gids qp persist ;;
	*)	[ "${COMP_WORDS[1]-}" != -k ] || printf '%s\n' -l -u -q -p ;;
	esac
}

_ofedctrl() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} candidate
	[ "$COMP_CWORD" -gt 1 ] || before=ofedctrl
	COMPREPLY=()
	# An interface may be called '$(reboot)', by a container that had it: 'compgen -W' would
	# run that, and so would the command line that it is put into without quotes.
	while IFS= read -r candidate; do
		[[ $candidate != "$word"* ]] || COMPREPLY+=("$(printf %q "$candidate")")
	done < <(_ofedctrl_after "${before##*/}")
	case ${COMPREPLY-} in
	*=) compopt -o nospace ;;
	esac
}

complete -F _ofedctrl ofedctrl
