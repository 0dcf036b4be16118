#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What coccinelle's scripts of the kernel report of the product. 'make soak' runs it, as it
# takes half an hour of a processor.
#
# usage: static.sh [SCRIPT...]	those of scripts/coccinelle that have these names (kfree.cocci),
#				all by default
#
# The file 'static-except' names what is reported and right. The last line is 'N passed, N
# failed': a script each.
set -u
umask 022

top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
cache=${OFED_CACHE:-/var/cache/ofed}
vm=tests/vm
. "$vm/release.sh"
source=$cache/linux-source-$(host_kernel)
out=$(tests/vm/builddir)/log/static
passed=0 failed=0
die() { echo "static: $*"; echo "0 passed, 1 failed"; exit 1; }

command -v spatch >/dev/null || {
	apt-get -qq update
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y \
		coccinelle >/dev/null 2>&1
} || die "no coccinelle"
[ -d "$source/scripts/coccinelle" ] || die "no scripts in $source"
rm -rf "$out"
mkdir -p "$out"

# The product alone, as spatch takes one folder.
rsync -a --include='*/' --include='*.[ch]' --exclude='*' \
	core uverbs ucma umad ucm hw include "$out/tree/" || die "no copy of the tree"

# Some can only make patches, some want a compiler of OCaml, one is for a driver's structs.
scripts() {
	find "$source/scripts/coccinelle" -name '*.cocci' | sort | while read -r _s; do
		grep -q '^virtual.*report' "$_s" || continue
		! grep -q 'script:ocaml' "$_s" || continue
		case /$_s in */check_bq27xxx_data.cocci) continue ;; esac
		[ $# -eq 0 ] || printf '%s\n' "$@" | grep -qxF "$(basename "$_s")" || continue
		echo "$_s"
	done
}

options_of() { sed -n 's|^// *[Oo]ptions: *||p' "$1"; }

# What a script reports, without what the list allows.
report() { # SCRIPT, NAME
	# Unquoted on purpose: words.
	# shellcheck disable=SC2046
	(cd "$out/tree" && timeout 1200 spatch --very-quiet --no-show-diff -D report \
		--cocci-file "$1" -j "$(nproc)" -I include -I "$source/include" \
		$(options_of "$1") --dir . 2>"$out/$2.err") >"$out/$2.all" || {
		tail -n 5 "$out/$2.err"
		return 1
	}
	awk -v s="$2" '$1 == s { $1 = ""; print substr($0, 2) }' tests/static-except >"$out/$2.except"
	! sed 's|^\./||' "$out/$2.all" | grep -vE -f "$out/$2.except"
}

for script in $(scripts "$@"); do
	name=$(basename "$script" .cocci)
	if report "$script" "$name"; then
		passed=$((passed + 1)); echo "ok   $name"
	else
		failed=$((failed + 1)); echo "FAIL $name"
	fi
done
[ $passed -gt 0 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
