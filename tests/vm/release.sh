# SPDX-License-Identifier: GPL-2.0
#
# Sourced by scripts of the host: what the table 'releases' says, and apt of a release
# that is not the host's. It wants $cache, and in $vm the folder of this file.

# A row of the table that matches: release_rows FIELD VALUE
release_rows() { awk -v n="$1" -v v="$2" '!/^#/ && $n == v' "$vm/releases"; }
# Those that prepare.sh always has.
release_kernels() { awk '!/^#/ && $6 != "named" { print $1 }' "$vm/releases"; }
kernels_of() { awk -v r="$1" '!/^#/ && $2 == r && $6 != "named" { print $1 }' "$vm/releases"; } # RELEASE
# The architecture of a release's programs: 13, 13-arm64
arch_of() { case $1 in *-arm64) echo arm64 ;; *) echo amd64 ;; esac; } # RELEASE
# What the names of a kernel's packages end with.
flavour_of() { # KERNEL
	case $1 in *-arm64*) echo "arm64${1##*-arm64}" ;; *) echo amd64 ;; esac
}
# The release that has the compiler for another one: the same, of this architecture.
builder_of() { echo "${1%-arm64}"; } # RELEASE

# kernel_field NAME release|suite|pattern|source
kernel_field() {
	case $2 in release) set -- "$1" 2 ;; suite) set -- "$1" 3 ;; pattern) set -- "$1" 4 ;;
	source) set -- "$1" 5 ;; esac
	release_rows 1 "$1" | awk -v n="$2" '{ print $n }'
}
suite_of() { release_rows 2 "$1" | awk '{ print $3; exit }'; } # RELEASE
suites_beside() { release_rows 2 "$1" | awk '!seen[$3]++ && NR > 1 { print $3 }'; } # RELEASE

# What the host is.
host_release() { sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\)"\{0,1\}$/\1/p' /etc/os-release; }
host_kernel() { release_rows 2 "$(host_release)" | awk '{ print $1; exit }'; }

host_suites() { apt-get indextargets --format '$(CODENAME)' 'Created-By: Packages'; }
# Is a release the host's own, with all suites that its kernels are in? Without one of them, as a
# Debian 13 is that has no backports, the release is a folder as others are.
is_host() { # RELEASE
	[ "$1" = "$(host_release)" ] || return
	for _beside in $(suites_beside "$1"); do
		host_suites | grep -qx "$_beside" || return
	done
}

# The user space of a release: the host's own, or a folder.
root_of() { # RELEASE
	is_host "$1" && echo / || echo "$cache/root-$1"
}
# host_path ROOT PATH: where the host has it
host_path() { echo "${1%/}$2"; }

# The host's Debian repositories, with the suites of another release: lines of a sources.list.
# The suites beside its own are where that one is.
sources_of() { # RELEASE
	_from=$(suite_of "$(host_release)") _to=$(suite_of "$1")
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT) $(ORIGIN)' \
		'Created-By: Packages' |
		awk -v from="$_from" -v to="$_to" -v beside="$(suites_beside "$1" | paste -sd ' ')" '
		function all(uri, component, suite, n, i) {
			print "deb", uri, to, component
			n = split(beside, suite, " ")
			for (i = 1; i <= n; i++)
				print "deb", uri, suite[i], component
		}
		index($2, from) != 1 || $4 != "Debian" { next }
		$2 == from { all($1, $3); found = 1; next }
		{ print "deb", $1, to substr($2, length(from) + 1), $3 }
		END { if (!found) all("http://deb.debian.org/debian", "main") }' |
		sort -u
}

# release_apt RELEASE get|cache ARG...: of another release with lists and archives of its own
release_apt() {
	_release=$1 _verb=apt-$2
	shift 2
	if is_host "$_release"; then
		"$_verb" "$@"
		return
	fi
	_state=$cache/apt-$_release
	mkdir -p "$_state/lists/partial" "$_state/archives/partial"
	[ -s "$_state/sources.list" ] || sources_of "$_release" >"$_state/sources.list"
	_arch=$(arch_of "$_release")
	"$_verb" -o APT::Architecture="$_arch" -o APT::Architectures="$_arch" \
		-o Dir::State::Lists="$_state/lists" -o Dir::Cache="$_state" \
		-o APT::Sandbox::User=root -o Dir::State::status=/dev/null \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::SourceList="$_state/sources.list" "$@"
}
