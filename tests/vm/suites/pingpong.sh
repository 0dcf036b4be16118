# SPDX-License-Identifier: GPL-2.0
#
# The example programs of libibverbs as Debian ships them.
. "$VM/lib/guest.sh"

need_link
check "ibv_devices lists $dev" sh -c "ibv_devices | grep -w $dev"
check "ibv_devinfo finds an active port" sh -c "ibv_devinfo -d $dev | grep PORT_ACTIVE"
check "ibv_devinfo -v" ibv_devinfo -v -d $dev
ibv_devinfo -v -d $dev >"$OUT/devinfo"

n=$(count 20000)
port=18500
for kind in rc uc srq ud; do
	for mode in "" -e; do
		port=$((port + 1))
		check "ibv_${kind}_pingpong $mode" \
			duo $port ibv_${kind}_pingpong -d $dev -g $gid_index -n "$n" $mode
	done
	# -c compares every byte received.
	case $kind in
	rc|uc|ud) # which of them has the option differs between releases
		ibv_${kind}_pingpong --help 2>&1 | grep -q -e --chk || continue
		port=$((port + 1))
		check "ibv_${kind}_pingpong -c" \
			duo $port ibv_${kind}_pingpong -d $dev -g $gid_index -n "$n" -c
		;;
	esac
done
# Sizes around the path MTU and a large one: segmentation both ways.
for size in 1 1023 1025 65536 1048576; do
	port=$((port + 1))
	check "ibv_rc_pingpong -c -s $size" \
		duo $port ibv_rc_pingpong -d $dev -g $gid_index -n 5 -c -s $size
done
check "$dev goes" link_down
check "the modules go" unload_stack
