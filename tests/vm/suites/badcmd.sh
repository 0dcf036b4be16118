# SPDX-License-Identifier: GPL-2.0
#
# Malformed commands: the errno of each case as on the stock core.
. "$VM/lib/guest.sh"

need_link
"$programs/badcmd" >"$work/badcmd" 2>"$work/badcmd.err"
status=$?
check "badcmd ran to its end" test $status -le 1 || tail -n 3 "$work/badcmd" "$work/badcmd.err"
# An object is gone when the answer to its destruction goes to a bad address, all the same.
state() { ! grep "STATE CHANGED" "$work/badcmd" | grep -vE '^DESTROY_[A-Z]+ response'; }
check "a refused command changes nothing" state
sed 's/ STATE CHANGED.*//' "$work/badcmd" >"$work/errnos"
same_as_list "errno of each malformed command" "$work/errnos" badcmd
check "the device still works" duo 18800 ibv_rc_pingpong -d rxe0 -g $gid_index -n 10 -c
check "rxe0 goes" link_down
