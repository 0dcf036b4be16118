#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: style.sh KERNEL...	builds, each with all warnings on, 6.1 with sparse too, and what
#				its files need each other for
#	 style.sh KERNEL... text	and what the files say
#
# A warning in a file of ours is a failure. The text: exports of each kernel named,
# checkpatch, kernel-doc, and the rules that grep can tell.
set -u
umask 022

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
cache=${OFED_CACHE:-/var/cache/ofed}
passed=0 failed=0
vm=tests/vm
tests/vm/builddir >/dev/null || exit 1
mkdir -p build/log

verdict() { # STATUS NAME
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1)); echo "ok   $2"
	else
		failed=$((failed + 1)); echo "FAIL $2"
	fi
}

# files PATTERN... [-- FOLDER...]: those of the tree with names that match, below the folders; an
# export has no git that knows them
files() {
	names=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		names="$names${names:+ -o }-name $1"
		shift
	done
	[ $# -eq 0 ] || shift
	[ $# -gt 0 ] || set -- .
	# Unquoted on purpose: words of find.
	set -f
	find "$@" \( -path ./build -o -path ./.git -o -name '*.mod.c' \) -prune -o \
		-type f \( $names \) -print | sed 's|^\./||' | sort
	set +f
}

# absent NAME REGEX FILES: no line of the files matches, and there are files
absent() {
	found=$(printf '%s\n' "$3" | xargs grep -nE -e "$2" /dev/null)
	[ -z "$found" ] || printf '%s\n' "$found"
	[ -n "$3" ] && [ -z "$found" ]
	verdict $? "$1"
}

dkms_modules() { # KERNEL HEADERS: the files that dkms would install
	for conf in tools/dkms/*.conf; do
		tools/fit "$(cat "$2/include/config/kernel.release")" "$2" "$conf" 2>/dev/null || continue
		bash -c 'kernelver=$0 kernel_source_dir=
			. "$1"
			for i in "${!BUILT_MODULE_NAME[@]}"; do
				echo "build/$0/${BUILT_MODULE_LOCATION[i]}/${BUILT_MODULE_NAME[i]}.ko"
			done' "$1" "$conf"
	done | sort
}

text=no
for k in "$@"; do
	[ "$k" != text ] || { text=yes; continue; }
	out=build/log/style-$k.out
	sparse="C=2 CF=-D__CHECK_ENDIAN__"
	# The same files for each kernel: once is enough.
	[ "$k" = 6.1 ] || sparse=
	if make -s -j"$(nproc)" modules K="$k" KFLAGS="$sparse" >"$out" 2>&1; then
		# Sparse does not see what guard() releases at the end of a block, and the
		# kernel's own events of MADs mix the orders of bytes.
		grep -E "(warning|error):" "$out" | grep -v -e "context imbalance" \
			-e '^/usr/src/linux-headers-.*/include/trace/events/ib_u\?mad.h:' &&
			s=1 || s=0
	else
		tail -n 30 "$out"
		s=1
	fi
	verdict $s "build without a warning on $k"
	case $k in *debug) continue ;; esac
	headers=$(awk -v k="$k" '$1 == k { sub("(-arm64)?/?$", "", $6); print $6 $5 }' "$cache/kernels")
	stock=$(awk -v k="$k" '$1 == k { print $4 "/lib/modules/" $2 }' "$cache/kernels")
	# Drivers alone export nothing of the core's.
	if [ -e "build/$k/core/ofed_core.ko" ]; then
		tools/exports "$headers" "build/$k" "$stock"
		verdict $? "exports on $k"
	fi
	dkms_modules "$k" "$headers" >build/log/dkms-modules
	find "build/$k" -name '*.ko' ! -path '*/tests/*' | sort |
		diff build/log/dkms-modules -
	verdict $? "tools/dkms lists what is built on $k"
	# One kernel's objects are enough; those of sparse are the same.
	[ "$k" = 6.1 ] || continue
	tests/circles "build/$k"
	verdict $? "no circle of calls beyond tests/circle-limits"
	tests/exported "$vm/expected/exports-$k.txt" "build/$k"
	verdict $? "exports on $k are those of the list"
done

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}
[ $text = yes ] || finish

tests/cm_table.sh
verdict $? "the tables of the CM are those of the documentation"

ours=$(files '*.[ch]' -- core uverbs ucma umad ucm hw include tests/kunit tests/modules)
. "$vm/release.sh"
source=$cache/linux-source-$(host_kernel)

# On every core; what xargs says is a failure, too. What was said of files a month ago is
# forgotten.
echo "$ours" | xargs -n 16 -P "$(nproc)" tests/checkpatch-once >build/log/checkpatch.out 2>&1
find "$cache/checkpatch" -type f -mtime +30 -delete
[ -s build/log/checkpatch.out ] && { head -n 30 build/log/checkpatch.out; s=1; } || s=0
verdict $s "checkpatch"

"$source/scripts/kernel-doc" -none $(files '*.c' -- core uverbs ucma umad ucm hw tests/kunit tests/modules) \
	>build/log/kernel-doc.out 2>&1
grep -E 'warning|error' build/log/kernel-doc.out | head -n 20
grep -qE 'warning|error' build/log/kernel-doc.out && s=1 || s=0
verdict $s "kernel-doc"

# sizes BITS: what a program and a module say to each other is the same for each
sizes() {
	gcc "-m$1" -fsyntax-only -Iinclude/uapi -I"/usr/include/$(gcc -print-multiarch)" -x c - <<-END
		#include <stddef.h>
		#include <ofed/ofed_user_verbs.h>
		_Static_assert(sizeof(struct ofed_context_req) == 8, "ofed_context_req");
		_Static_assert(sizeof(struct ofed_context_resp) == 32, "ofed_context_resp");
		_Static_assert(offsetof(struct ofed_context_resp, max_inline) == 8, "max_inline");
		_Static_assert(offsetof(struct ofed_context_resp, doorbell_offset) == 16, "doorbell_offset");
		_Static_assert(sizeof(struct ofed_qp_resp) == 8, "ofed_qp_resp");
		_Static_assert(sizeof(struct ofed_doorbell_page) == 192, "ofed_doorbell_page");
		_Static_assert(offsetof(struct ofed_doorbell_page, rung) == 64, "rung");
		_Static_assert(sizeof(struct ofed_cqe_time) == 16, "ofed_cqe_time");
		_Static_assert(offsetof(struct ofed_cqe_time, wall) == 8, "wall");
		_Static_assert(sizeof(struct ofed_create_cq_req) == 8, "ofed_create_cq_req");
		_Static_assert(sizeof(struct ofed_cqe_tm) == 16, "ofed_cqe_tm");
		_Static_assert(sizeof(struct ofed_tm_op) == 184, "ofed_tm_op");
		_Static_assert(offsetof(struct ofed_tm_op, sge) == 56, "sge");
	END
}
sizes 32 && sizes 64
verdict $? "include/uapi has the same sizes on 32 and on 64 bits"

make -s -C lib out=../build/style-lib CFLAGS='-O2 -Werror' >build/log/lib 2>&1 || { cat build/log/lib; false; }
verdict $? "libofed compiles without a warning"

# In include/ofed/version.h; all else asks tools/version, or is written by make.
version=$(tools/version)
stated() {
	grep -rnE "(^|[^0-9.])$(echo "$version" | sed 's/[.]/[.]/g')([^0-9.]|\$)" \
		tools/dkms tools/ofedctrl tools/install.mk debian dkms.conf Makefile
}
[ "$version" != . ] && ! stated
verdict $? "the version stands once"

# dkms_of CONF...: names of the modules that it builds
dkms_of() {
	for _conf; do
		bash -c 'kernelver= kernel_source_dir=
			. "$0"
			printf "%s\n" "${BUILT_MODULE_NAME[@]}"' "$_conf"
	done | sort
}
[ "$(dkms_of ./dkms.conf)" = "$(dkms_of ./tools/dkms/*.conf)" ]
verdict $? "dkms.conf has the modules of tools/dkms"

# A page for each module and for each program that is installed.
pages=$(for _m in $(dkms_of ./dkms.conf); do echo "$_m.4"; done
	for _p in ofedctrl ofed-fabric ofed-smc; do echo "$_p.8"; done)
manual() {
	for _page in $pages; do
		[ -e "Documentation/man/$_page" ] || { echo "no $_page"; return 1; }
	done
	for _page in Documentation/man/*.[0-9]; do
		groff -ww -mandoc -Tutf8 -z "$_page" 2>&1 &&
			grep -q "/$(basename "$_page")\$" debian/*.manpages || echo "$_page: in no package"
	done | { ! grep .; }
}
manual
verdict $? "manual pages of all modules and programs, without a warning"

tests/pages/links.py
verdict $? "links of the pages lead somewhere"
fenced=$(for _page in README.md Documentation/tutorial.md Documentation/troubleshooting.md \
		Documentation/howto/*.md; do
	tests/pages/fences "$_page" build/log/fences 2>&1
done)
[ -z "$fenced" ] || printf '%s\n' "$fenced"
[ -z "$fenced" ]
verdict $? "commands of the pages are fenced and marked"
tests/pages/rates.py Documentation/design/performance.md | cmp - Documentation/pictures/rates.svg
verdict $? "the graph of README.md has the figures of the results"
tests/pages/fabric.py Documentation/pictures/fabric.txt | cmp - Documentation/pictures/fabric.svg
verdict $? "its fabric is that of ibnetdiscover"

# What runs on hosts, and maintainers' scripts.
shellcheck -x -S warning $(grep -rlE '^#!/bin/(ba)?sh|^# shellcheck shell=' tools debian tests/vm/install) \
	>build/log/shellcheck.out 2>&1
s=$?
[ $s -eq 0 ] || head -n 30 build/log/shellcheck.out
verdict $s "shellcheck"

tests/names
verdict $? "a function's name is in one file, and begins as those of its folder"

absent "kernel versions are known to include/compat alone" \
	'LINUX_VERSION_CODE|KERNEL_VERSION|#[a-z ]*COMPAT_' "$(files '*.[ch]' | grep -v '^include/compat/')"
# The two sides of hw/ibt/link.h. <net/netlink.h> is how the core is answered, no network.
absent "the engine includes no header of IP" \
	'#[[:space:]]*include[[:space:]]*<(net/([^n]|n[^e]|ne[^t]|net[^l])|linux/(in6?|inet|ip|ipv6|udp)\.h)' "$(files '*' -- hw/ibt hw/soft)"
absent "a link names no queue pair" '\<ibt?_qp' "$(files '*' -- hw/roce hw/ib)"

# A function is from the line with its name to the brace that ends it.
awk -v most=60 '
	FNR == 1 { inside = 0 }
	!inside && /^[A-Za-z_]/ { first = FNR; name = $0 }
	/^{/ { inside = 1; seen++ }
	/^}/ && inside {
		inside = 0
		if (FNR - first >= most) {
			print FILENAME ":" first ": " FNR - first + 1 " lines: " name
			bad = 1
		}
	}
	END { exit bad || !seen }' $(files '*.[ch]')
verdict $? "no function over 60 lines"

wc -l $(files '*.[ch]' '*.sh') | awk '$2 != "total" && $1 > 620 { print; bad = 1 } END { exit bad }'
verdict $? "no file over 620 lines"

python3 -B tests/bench/report_test.py >build/log/report_test.out 2>&1
s=$?
[ $s -eq 0 ] || cat build/log/report_test.out
verdict $s "the report of the benchmark judges made-up figures as it should"

python3 -B tests/insns/table_test.py >build/log/table_test.out 2>&1
s=$?
[ $s -eq 0 ] || cat build/log/table_test.out
verdict $s "made-up counts of instructions are told apart as they should"

python3 -B tests/originality_test.py >build/log/originality_test.out 2>&1
s=$?
[ $s -eq 0 ] || cat build/log/originality_test.out
verdict $s "made-up copies are found"

# Unquoted on purpose: a list of files.
tests/originality $(files '*.[ch]')
s=$?
[ $s -eq 77 ] && echo "skip lines of the kernel's source" ||
	verdict $s "no lines of the kernel's source"

finish
