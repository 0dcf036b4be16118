# SPDX-License-Identifier: GPL-2.0
#
# Handles of one process are nothing in another; 32-bit programs work.
. "$VM/lib/guest.sh"

need_link
check "no handle of another process works" "$programs/isolation"
tail -n 1 "$work/output"

# Debian's i386 programs, where an installation would have put them. The guest's
# root is a throw-away layer.
lib32=/usr/lib/i386-linux-gnu
mkdir -p $lib32
for dir in "$CACHE/i386/usr/lib/i386-linux-gnu" "$CACHE/i386/lib/i386-linux-gnu"; do
	[ -d "$dir" ] && cp -a "$dir/." $lib32/
done
bin32=$CACHE/i386/usr/bin
on32() { # PROGRAM ARG...: by its own loader, which needs no /lib/ld-linux.so.2
	program=$1
	shift
	"$lib32/ld-linux.so.2" --library-path $lib32 "$bin32/$program" "$@"
}
check "the i386 program is 32-bit" sh -c "head -c 5 $bin32/ibv_devinfo | od -An -tx1 | grep -q '7f 45 4c 46 01'"
check "i386 ibv_devinfo" on32 ibv_devinfo -v -d $dev
# The same answers as the 64-bit program's.
same_devinfo() {
	on32 ibv_devinfo -v -d $dev >"$work/info32" &&
	ibv_devinfo -v -d $dev >"$work/info64" &&
	diff "$work/info32" "$work/info64"
}
check "i386 ibv_devinfo says what the 64-bit one says" same_devinfo
n=$(count 1000)
check "i386 ibv_rc_pingpong" duo 18700 "$lib32/ld-linux.so.2" --library-path $lib32 \
	"$bin32/ibv_rc_pingpong" -d $dev -g $gid_index -n "$n" -c
check "i386 ibv_rc_pingpong -e" duo 18701 "$lib32/ld-linux.so.2" --library-path $lib32 \
	"$bin32/ibv_rc_pingpong" -d $dev -g $gid_index -n "$n" -e
check "$dev goes" link_down
