# SPDX-License-Identifier: GPL-2.0
#
# iproute2's rdma: output and errors as on the stock core.
. "$VM/lib/guest.sh"

need_link
ip link add dummy9 address 02:00:00:00:00:09 type dummy
ip link set dummy9 up

# say CMD...: the command, its output and its exit status
say() {
	echo "\$ $*"
	"$@" 2>&1
	echo "= $?"
}
as() { # CMD...: the same without privilege
	echo "(unprivileged)"
	say as_user "$@"
}
session() {
	for opt in "-j" "-j -d" "-d" ""; do
		say rdma $opt dev
		say rdma $opt link
		say rdma $opt system
	done
	say rdma -j dev show rxe0
	say rdma -j dev show nosuch
	say rdma -j link show rxe0/1
	say rdma -j link show rxe0/2
	say rdma -j link show nosuch/1
	say rdma -j statistic show link rxe0/1
	say rdma -j statistic show link rxe0/2
	say rdma dev set rxe0 name blue0
	say rdma -j dev
	say rdma dev set blue0 name blue0
	say rdma dev set blue0 name 'bl%d'
	say rdma dev set blue0 name ''
	say rdma dev set blue0 name a/b
	say rdma dev set blue0 name 0123456789012345678901234567890123456789012345678901234567890123456789
	say rdma link add rxe1 type rxe netdev dummy9
	say rdma -j link
	say rdma dev set rxe1 name blue0
	say rdma dev set blue0 name rxe0
	say rdma link add rxe1 type rxe netdev eth1
	say rdma link add rxe2 type rxe netdev dummy9
	say rdma link add 'rxe%d' type rxe netdev eth1
	say rdma link add rxe3 type nosuch netdev eth1
	say rdma link add rxe3 type rxe netdev nosuch
	say rdma link add '' type rxe netdev eth1
	say rdma link add 0123456789012345678901234567890123456789012345678901234567890123456789 type rxe netdev eth1
	say rdma link delete rxe1
	say rdma link delete rxe1
	say rdma link delete nosuch
	say rdma -j system
	as rdma -j dev
	as rdma -j link
	as rdma -j system
	as rdma -j statistic show link rxe0/1
	as rdma dev set rxe0 name red0
	as rdma link add rxe5 type rxe netdev eth1
	as rdma link delete rxe0
	as rdma system set netns exclusive
	say rdma system set netns exclusive
	say rdma -j system
	say rdma system set netns shared
	say rdma -j system
	say rdma dev set rxe0 adaptive-moderation on
	say rdma -j dev
}
# Indexes depend on how many devices there were before: only rxe's own relation
# to its netdev is of interest, and names show that. Of counters, their names.
session | sed -E -e 's/"(ifindex|netdev_index)":[0-9]+/"\1":N/g' -e 's/^[0-9]+: /N: /' \
	-e 's/netdev_index [0-9]+/netdev_index N/' \
	-e '/"(sent_pkts|tx_packets)":/s/":[0-9]+/":N/g' >"$work/session"
same_as_list "rdma as on the stock core" "$work/session" rdmatool
ip link del dummy9
# The names are no longer what they were.
for name in rxe0 'bl%d'; do
	rdma link delete "$name" 2>/dev/null
done
check "rxe0 is on eth0 again" link_up

# ---- objects -----------------------------------------------------------------
cases=$TOP/tests/programs/core/nldev_cases.py

# hold PROGRAM ARG...: it has its objects and waits; $holder is its pid
hold() {
	rm -f "$work/hold"
	mkfifo "$work/hold"
	"$@" <"$work/hold" >"$work/held" 2>&1 &
	holder=$!
	exec 8>"$work/hold"
	wait_for 30 has ready "$work/held"
}
let_go() {
	exec 8>&-
	wait $holder
}
# Of what the core itself has, and of what is there for a time, nothing is
# compared: only lines of the holder. Ids and keys are numbers of the run.
normal() {
	sed -E -e "s/\b$holder\b/PID/g" \
		-e '/^\$/!s/\b(lqpn|cqn|mrn|pdn|ctxn|srqn|cm-idn|cntn|ifindex)("?:? ?)[0-9,-]*[0-9]/\1\2N/g' \
		-e 's/\b([rl]key|unsafe_global_rkey|local_dma_lkey|sq-psn|rq-psn)("?:? ?"?)(0x)?[0-9a-f]+/\1\2N/g' \
		-e 's/(objects|objects_raw)\b/HOLDER/g'
}
# An object is of a device or of one of its ports: the tool wants the right word.
on() { # KIND DEV
	case $1 in
	qp) echo "link $2/1" ;;
	*) echo "dev $2" ;;
	esac
}
kinds="qp cm_id cq mr pd ctx srq"
resources() { # DEV
	for kind in $kinds; do
		where=$(on $kind $1)
		say rdma resource show $kind $where pid $holder
		say rdma -d resource show $kind $where pid $holder
		say rdma -d -j -p resource show $kind $where pid $holder
		as rdma -d resource show $kind $where pid $holder
	done
}
filters() { # DEV
	for kind in $kinds; do
		where=$(on $kind $1)
		say rdma -r resource show $kind $where pid $holder
		say rdma resource show $kind $where pid 999999
	done
	say rdma resource show cm_id link $1/1 pid $holder
	say rdma resource show qp link $1/1 lqpn 1
	for words in "dev $1" "link $1" "link nosuch/1" "link $1/2" "nonsense 5" \
		"link $1/1 nonsense 5" "link $1/1 pid" \
		"link $1/1 pid $holder type RC" \
		"link $1/1 pid $holder type UD state RTS" "link $1/1 lqpn 999999" \
		"link $1/1 pid $holder path-mig-state MIGRATED"; do
		say rdma resource show qp $words
	done
	say unshare -p -f rdma -j resource show qp link $1/1 type RC
	say unshare -p -f rdma -j resource show mr dev $1
	say unshare -p -f rdma -j resource show cm_id dev $1
	say rdma resource show cq dev $1 pid $holder users 0-1
	say rdma resource show mr dev $1 pid $holder mrlen 1000
	say rdma resource show srq dev $1 pid $holder type BASIC
	say rdma resource show nonsense
	say rdma resource nonsense
}
if check "a program with objects of all kinds" hold "$programs/objects" rxe0 10.0.0.1; then
	{ resources rxe0; filters rxe0; } | normal >"$work/resources"
	let_go
	same_as_list "rdma resource as on the stock core" "$work/resources" rdmatool-res
fi
if check "the same, for raw requests" hold "$programs/objects" rxe0 10.0.0.1; then
	python3 "$cases" rxe0 $holder strangers devices resources statistics \
		bindings subdevices >"$work/raw" 2>&1
	let_go
	same_as_list "raw requests, as root" "$work/raw" rdmatool-raw
fi
if check "and without privilege" hold "$programs/objects" rxe0 10.0.0.1; then
	as_user python3 "$cases" rxe0 $holder strangers devices resources \
		statistics bindings subdevices >"$work/raw" 2>&1
	let_go
	same_as_list "raw requests, without privilege" "$work/raw" rdmatool-user
fi
check "rxe0 goes" link_down

# ---- what happens to devices, told to listeners --------------------------------
events() { # COUNT
	python3 "$cases" -m "$1" >"$work/events" 2>&1 &
	listener=$!
	wait_for 30 has ready "$work/events"
}
happenings() {
	link_up
	rdma dev set rxe0 name blue0
	rdma dev set blue0 name rxe0
	link_down
}
# Kernels before 6.12 have no such group, and no socket can join it.
if check "a listener" events 3; then
	check "a device comes, is renamed, and goes" happenings
	[ "$series" != 6.1 ] || kill $listener
	wait $listener 2>/dev/null
	same_as_list "events" "$work/events" rdmatool-events
fi

# ---- what rxe has not ----------------------------------------------------------
. "$VM/lib/testdev.sh"
statistics() { # DEV
	say rdma statistic
	say rdma statistic show link $1/1
	say rdma -j -p statistic show link $1/1
	say rdma statistic mode
	say rdma -j statistic mode link $1/1
	say rdma statistic mode supported
	say rdma -j -p statistic mode supported link $1/1
	say rdma statistic set link $1/1 optional-counters optional
	say rdma statistic mode link $1/1
	say rdma statistic show link $1/1
	say rdma statistic set link $1/1 optional-counters sent_requests
	say rdma statistic set link $1/1 optional-counters nosuch
	as rdma statistic set link $1/1 optional-counters optional
	say rdma statistic unset link $1/1 optional-counters
	as rdma statistic unset link $1/1 optional-counters
	say rdma statistic mode link $1/1
	say rdma statistic show link $1/1
	say rdma statistic qp mode
	say rdma statistic qp mode link $1/1
	say rdma statistic qp show
	say rdma statistic qp set link $1/1 auto type on
	say rdma statistic qp mode link $1/1
	say rdma statistic qp set link $1/1 auto type,pid on
	say rdma statistic qp mode link $1/1
	say rdma statistic qp set link $1/1 auto off
	say rdma statistic qp set link $1/1 auto off
	say rdma statistic qp set link $1/1 auto nonsense
	as rdma statistic qp set link $1/1 auto type on
	say rdma statistic mr show
	say rdma statistic -j mr
	say rdma statistic nonsense
}
bound() { # DEV: a holder has its QPs in counters
	say rdma statistic qp mode link $1/1
	say rdma statistic qp show link $1/1
	say rdma -j -p statistic qp show link $1/1
	as rdma statistic qp show link $1/1
	say rdma statistic show link $1/1
	say rdma statistic qp show link $1/1 qp-type RC
	say rdma statistic qp show link $1/1 pid $holder
	say rdma statistic qp set link $1/1 auto type on
	say rdma statistic qp set link $1/1 auto off
	say rdma statistic qp mode link $1/1
	say rdma statistic qp show link $1/1
}
lqpn_of() { # DEV TYPE
	rdma -j resource show qp link $1/1 type $2 pid $holder | tr , '\n' | sed -n 's/.*"lqpn"://p' | head -n 1
}
sent() { rdma -j statistic show link $1/1 | tr , '\n' | sed -n 's/.*"sent_requests"://p'; }
manual() { # DEV
	rc=$(lqpn_of $1 RC)
	ud=$(lqpn_of $1 UD)
	say rdma statistic qp bind link $1/1 lqpn 999999
	say rdma statistic qp bind link $1/1 lqpn $rc
	say rdma statistic qp bind link $1/1 lqpn $rc
	say rdma statistic qp mode link $1/1
	say rdma statistic qp show link $1/1
	say rdma statistic qp set link $1/1 auto type on
	as rdma statistic qp bind link $1/1 lqpn $ud
	cntn=$(rdma -j statistic qp show link $1/1 | tr , '\n' | sed -n 's/.*"cntn"://p')
	say rdma statistic qp bind link $1/1 lqpn $ud cntn $cntn
	say rdma statistic qp bind link $1/1 lqpn $ud cntn 888888
	say rdma statistic qp show link $1/1
	as rdma statistic qp unbind link $1/1 cntn $cntn lqpn $rc
	say rdma statistic qp unbind link $1/1 cntn 888888 lqpn $rc
	before=$(sent $1)
	say rdma statistic qp unbind link $1/1 cntn $cntn lqpn $rc
	[ "$before" = "$(sent $1)" ] && echo "what it has counted stays with the port"
	say rdma statistic qp show link $1/1
	say rdma statistic qp unbind link $1/1 cntn $cntn
	say rdma statistic qp show link $1/1
	say rdma statistic qp mode link $1/1
	say rdma statistic show link $1/1
}
check "the test device's module" td_load link=ib || exit 1
check "a test device" td_add testdev0 ports=2
# What ports have counted differs by what the core's own users send and receive.
# Newer programs have a line for each. Ids of counters, like those of QPs, are of the run, in
# commands too.
of_run() { normal | sed -E 's/(lqpn|cntn) [0-9]+/\1 N/g'; }
# A second error is the errno that printing the first one has left: with a reason another.
{
	holder=none
	statistics testdev0
	rdma statistic qp set link testdev0/1 auto type on
	hold "$programs/objects_raw" testdev0
	echo "auto, by type"
	bound testdev0 | of_run
	let_go
	rdma statistic qp set link testdev0/1 auto pid on
	hold "$programs/objects_raw" testdev0
	echo "auto, by pid"
	bound testdev0 | of_run
	let_go
	say rdma statistic qp mode
	say rdma statistic show link testdev0/1
	hold "$programs/objects_raw" testdev0
	manual testdev0 | of_run
	resources testdev0 | normal
	let_go
	holder=none
	say rdma statistic qp show
	say rdma statistic qp mode
	say rdma -d dev
	say rdma dev set testdev0 adaptive-moderation on
	say rdma -d dev
} 2>&1 | sed -E -e 's/^[0-9]+: /N: /' -e 's/(node_guid|sys_image_guid) [0-9a-f:]+/\1 N/g' \
	-e '/^link [^ ]* sent_requests/s/(sent|received)_requests [0-9]+/\1_requests N/g' \
	-e '/^link /h' -e '/^ +(sent|received)_requests /{G
		/\nlink [^\n]* cntn /!s/_requests [0-9]+/_requests N/
		s/\n.*//}' \
	-e 's/"(sent|received)_requests": [0-9]+/"\1_requests": N/' |
	sed '/^error: /{N;s/\nerror: .*//}' >"$work/testdev"
same_as_list "statistics and details of a device that has all" "$work/testdev" rdmatool-testdev
if check "raw requests to it: a program" hold "$programs/objects_raw" testdev0; then
	python3 "$cases" testdev0 $holder devices resources statistics bindings \
		subdevices >"$work/raw" 2>&1
	let_go
	same_as_list "raw requests to the test device" "$work/raw" rdmatool-tdraw
fi
# Parts go with their device, though another request has made one go before.
parts_as() { # RESULT...
	python3 "$cases" testdev0 1 parts >"$work/parts" 2>&1
	sed 's/.*: //; s/,.*//' "$work/parts" | tr '\n' ' ' | diff - "$work/wanted"
}
busy() { [ "$(grep -c busy "$work/race")" = 4 ]; }
if [ "$CORE" != stock ] && [ "$series" != 6.1 ]; then
	echo "EINVAL EINVAL EINVAL ok ok ok EINVAL " | tr -d '\n' >"$work/wanted"
	check "parts of a device" parts_as
	check "the second is there" [ -d /sys/class/infiniband/part2 ]
	python3 "$cases" testdev0 1 race >"$work/race" 2>&1 &
	race=$!
	check "processes add and delete parts" wait_for 60 busy
fi
check "the test device goes" td_del testdev0
check "and all of its parts" td_gone part2
[ -z "${race:-}" ] || check "the processes find it gone" wait $race
check "nothing is left of either" td_all_zero
check "its module goes" rmmod ofed_testdev
