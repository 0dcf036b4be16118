# shellcheck shell=sh disable=SC2154,SC2086
# SPDX-License-Identifier: GPL-2.0
#
# Parameters of modules: one now, or those of the configuration file. Part of
# ofedctrl.

param_path() { echo "/sys/module/$1/parameters/$2"; }

# underscored NAME: of a module or a parameter, as sysfs has it; modprobe takes dashes as well
underscored() { printf '%s\n' "$1" | tr - _; }

# param_write MODULE NAME VALUE
param_write() {
	_file=$(param_path "$1" "$2")
	if [ -z "$(find "$_file" -perm -200 2>/dev/null)" ]; then
		say "$2 of $1 cannot be changed while the module is loaded:"
		say "    write 'options $1 $2=$3' to $conf, and load it again"
		return $failed
	fi
	# The shell's own complaint would name a file and a line of this program.
	if ! { printf '%s\n' "$3" >"$_file"; } 2>/dev/null; then
		say "$1 does not take $2=$3"
		return $failed
	fi
}

# has_param MODULE NAME: says the file of the module. 2: there is no file.
has_param() {
	[ -n "$(module_file "$1")" ] || return 2
	modinfo -F parm "$1" 2>/dev/null | grep -q "^$2:"
}

name_is_plain() {
	case $1 in
	''|*[!A-Za-z0-9_-]*) return 1 ;;
	esac
}

param_set() { # PATH or nothing, NAME=VALUE
	case $2 in
	?*=*) ;;
	*) misuse "-p wants NAME=VALUE" ;;
	esac
	_param=$(underscored "${2%%=*}") _value=${2#*=}
	name_is_plain "$_param" || misuse "not the name of a parameter: $_param"
	need_root
	_in=$ours
	[ -z "$1" ] || _in=$(module_name "$1")
	for _m in $(loaded_of $_in); do
		[ -e "$(param_path "$_m" "$_param")" ] || continue
		param_write "$_m" "$_param" "$_value" || return
		echo "$_m: $_param=$(cat "$(param_path "$_m" "$_param")")"
		return 0
	done
	# None that is loaded has it. One that is not may.
	_unknown=
	for _m in $_in; do
		! loaded "$_m" || continue
		has_param "$_m" "$_param"
		case $? in
		0) die $failed "not loaded: $_m" ;;
		2) _unknown="$_unknown $_m" ;;
		esac
	done
	if [ -z "$(loaded_of $_in)" ] && [ -n "$_unknown" ]; then
		die $failed "not loaded:$_unknown"
	fi
	die $missing "no parameter $_param in" $_in
}

# The kernel prints Y and N for what one may write in many ways.
same_value() {
	case $1/$2 in
	[1Yy]/[1Yy]|on/[1Yy]|[0Nn]/[0Nn]|off/[0Nn]) ;;
	*) [ "$1" = "$2" ] ;;
	esac
}

# conf_word MODULE NAME=VALUE
conf_word() {
	_param=$(underscored "${2%%=*}") _value=${2#*=}
	_file=$(param_path "$1" "$_param")
	if [ "${2%%=*}" = "$2" ] || ! name_is_plain "$_param"; then
		say "$conf: '$2' is not NAME=VALUE"
		return 1
	fi
	if ! loaded "$1"; then
		has_param "$1" "$_param"
		if [ $? -eq 1 ]; then
			say "$conf: $1 has no parameter $_param"
			return 1
		fi
		echo "$1: $2 when it is loaded"
	elif [ -d "/sys/module/$1/parameters" ] && [ -e "$_file" ]; then
		_now=$(cat "$_file" 2>/dev/null)
		if same_value "$_value" "$_now"; then
			return 0
		elif [ -z "$(find "$_file" -perm -200)" ]; then
			echo "$1: $2 when it is loaded again (now $_now)"
		else
			param_write "$1" "$_param" "$_value" && echo "$1: $2"
		fi
	elif has_param "$1" "$_param"; then
		echo "$1: $2 when it is loaded again"
	else
		say "$conf: $1 has no parameter $_param"
		return 1
	fi
}

# conf_lines: as modprobe reads them: one that ends with a backslash goes on in the next
conf_lines() { awk '{ more = sub(/\\$/, ""); printf "%s%s", $0, more ? "" : "\n" }' "$conf"; }

params_reload() {
	need_root
	[ -r "$conf" ] || die $missing "no $conf"
	_status=0
	while read -r _word _m _rest || [ -n "$_word" ]; do
		case $_word$_m$_rest in
		''|'#'*) continue ;;
		*"$cr")	say "$conf: a line ends with a carriage return, which modprobe takes for a part of it"
			_status=$failed
			continue ;;
		esac
		case $_word in
		options) ;;
		*)	say "$conf: only 'options MODULE NAME=VALUE...' is known, not '$_word'"
			_status=$failed
			continue ;;
		esac
		if ! name_is_plain "$_m" || [ -z "$_rest" ]; then
			say "$conf: 'options' wants a module and NAME=VALUE"
			_status=$failed
			continue
		fi
		# Unquoted: words. No word of a parameter has a pattern's characters.
		_m=$(underscored "$_m")
		set -f
		for _setting in $_rest; do
			conf_word "$_m" "$_setting" || _status=$failed
		done
		set +f
	done <<-END
	$(conf_lines)
	END
	return $_status
}
