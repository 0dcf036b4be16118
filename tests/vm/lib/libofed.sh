# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh: the library of this project in the guest, as the package
# libofed-verbs leaves it.

providers=$(dirname "$(find /usr/lib -name 'librxe-rdmav*.so' | head -n 1)")
library=$(basename "$(ls "$TOP"/build/lib/libofed-rdmav*.so)")
abi=${library#libofed-}
stand_in="rxe siw"

libofed_in() {
	cp "$TOP/build/lib/$library" "$providers/" || return
	echo "driver ofed" >/etc/libibverbs.d/ofed.driver
	for _stands in $stand_in; do
		mv "$providers/lib$_stands-$abi" "$providers/lib$_stands-stock-$abi" &&
			ln -s "$library" "$providers/lib$_stands-$abi" &&
			echo "driver $_stands-stock" >>/etc/libibverbs.d/ofed.driver || return
	done
	echo "driver ofed" >>/etc/libibverbs.d/ofed.driver
}

libofed_out() {
	rm -f /etc/libibverbs.d/ofed.driver "$providers/$library"
	for _stands in $stand_in; do
		mv -f "$providers/lib$_stands-stock-$abi" "$providers/lib$_stands-$abi" || return
	done
}

# driven_by DEV LIBRARY, and nothing is said on stderr
driven_by() {
	"$programs/provider_of" >"$work/providers" 2>"$work/said"
	_status=$?
	cat "$work/providers" "$work/said"
	[ $_status -eq 0 ] && ! [ -s "$work/said" ] && has "$1 lib$2-$abi" "$work/providers"
}
