# SPDX-License-Identifier: GPL-2.0
#
# Random and mutated write() commands, with kill and removal in between. What
# is tested is the silence of the kernel and that nothing is left.
. "$VM/lib/guest.sh"
. "$VM/lib/testdev.sh"
fuzz="$programs/uverbs_fuzz" calls=commands
. "$VM/lib/tdfuzz.sh"

check "the module loads" td_load link=ib || exit 1
check "network devices" net_up

# Each command succeeds at least once: the templates are what they say.
check "a device with InfiniBand ports" td_add testdev0
coverage=-c
[ "$n" -ge 5000 ] || coverage=
check "$n commands" fuzzed testdev0 $coverage
told 99
check "all its objects are gone" wait_for 10 td_idle testdev0
check "none is listed" no_user_objects
check "it goes" td_del testdev0
check "nothing is left" td_all_zero

check "a RoCE device" td_add testdev1 link=roce netdev=eth0
check "$n commands on it" fuzzed testdev1
check "it goes too" td_del testdev1
check "nothing is left of it" td_all_zero

cut_short
real_device fuzzed
