# SPDX-License-Identifier: GPL-2.0
#
# Every completion status and every asynchronous event, each by its real cause,
# without packets and with them. Takes the device along.
DRIVER=roce
. "$VM/lib/guest.sh"

need_link
run "$programs/statuses" $dev $gid_index eth0 /sys/module/ofed_soft/parameters/loopback \
	>"$work/statuses" 2>&1
status=$?
# Each row counts by itself.
while IFS= read -r line; do
	case $line in
	"ok   "*) ok "${line#ok   }" ;;
	"FAIL "*) bad "${line#FAIL }" ;;
	*) echo "$line" ;;
	esac
done <"$work/statuses"
check "the program ends" [ $status -le 1 ]
check "$dev is gone" wait_for 10 sh -c "! [ -e /sys/class/infiniband/$dev ]"
net_down
