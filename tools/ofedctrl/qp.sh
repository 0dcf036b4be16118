# shellcheck shell=sh disable=SC2154,SC2016
# SPDX-License-Identifier: GPL-2.0
#
# ofedctrl qp: the state of a queue pair, as its driver tells it over netlink. Part of
# ofedctrl.

# qp_rows DEVICE [NUMBER]: a JSON array. The details of a driver are text, whatever 'rdma' is
# asked for: words in pairs behind the name of the process, which may be anything, or behind
# that of a module in brackets. 'rdma' writes drv_ in front of the names of the driver.
qp_rows() {
	{
		rdma -j resource show qp link "$1" | jq -c .
		rdma -dd resource show qp link "$1"
	} 2>/dev/null | jq -Rn --arg number "${2-}" '
	def pairs: split(" ") | map(select(. != "")) | . as $words |
		[range(0; length - 1; 2) |
			{key: ($words[.] | ltrimstr("drv_")), value: ($words[. + 1] | (tonumber? // .))}] | from_entries;
	(input | fromjson) as $known |
	(reduce inputs as $line ({};
		([$line | capture("^link (?<link>[^ ]+) lqpn (?<qpn>[0-9]+) ")][0]) as $of |
		if $of then .[$of.link + " " + $of.qpn] = $line else . end)) as $lines |
	[$known[] | select($number == "" or (.lqpn | tostring) == $number) | . as $qp |
		(if .pid then "comm \(.comm) " else "comm [\(.comm | gsub("^\\[|]$"; ""))] " end) as $name |
		. + ($lines["\(.ifname)/\(.port // "-") \(.lqpn)"] // "" |
			split($name)[1:] | join($name) | pairs)]'
}

# What a driver names and this does not know is printed under the driver's name.
qp_text() {
	jq -r '
	{
		"path-mig-state": "path migration", "pdn": "protection domain",
		"rq-psn": "expected PSN", "sq-psn": "first PSN not used",
		"wqes": "send WQEs not completed", "next_psn": "PSN of the next packet",
		"una_psn": "oldest PSN without answer",
		"unanswered": "packets without answer", "window": "of these at most",
		"sent_reads": "READs, atomics without answer",
		"srtt_ns": "round trip, ns", "rttvar_ns": "its deviation, ns",
		"backoff": "losses without answer since", "timer": "next timer",
		"timer_us": "expires in, us", "retries": "retries left",
		"rnr_retries": "RNR retries left", "recovery": "recovery",
		"way": "way of the latest message", "send_task": "task that sends",
		"waits_for": "waits for", "expected_psn": "expected PSN",
		"answer_task": "task that answers", "msn": "messages executed",
		"due_reads": "READs, atomics to answer", "backlog": "requests behind them",
		"owed_answers": "answers held back", "stream": "stream",
		"built_bytes": "bytes not taken by TCP",
		"direct_bytes": "bytes that passed by TCP", "connection": "connection",
		"mpa_revision": "revision of MPA", "crc": "CRC",
		"unacked_bytes": "bytes not acknowledged by TCP",
		"unread_bytes": "bytes received, not read",
		"partial_bytes": "bytes of an FPDU that is not whole"
	} as $labels |
	{
		waits_for: {
			cq: "room in its CQ", rnr: "the timer of an RNR NAK",
			memory: "memory for a packet", link: "room in the transmit queue",
			task: "its task", window: "ACKs, as the window is full",
			reads: "READs and atomics in front",
			credits: "a receive request of the peer (credits)", answers: "answers; all is sent"
		},
		way: {
			loopback: "on this host, without packets", packets: "packets",
			gso: "packets, several at once (GSO)", tcp: "TCP"
		},
		timer: {
			ack: "timeout of the queue pair", early: "early retransmission",
			pause: "end of the pause"
		},
		crc: {"0": "off", "1": "on"}
	} as $words |
	def owner: if .pid then "\(.comm) (PID \(.pid))" else .comm // "?" end;
	def peer: if .rqpn then ", peer QP \(.rqpn)" else "" end;
	def port: if .port then ", port \(.port)" else "" end;
	def row: "  \($labels[.key] // .key | . + " " * (34 - length))" +
		"\($words[.key][.value | tostring] // .value)";
	.[] | "\(.ifname) QP \(.lqpn): \(.type), \(.state)\(port)\(peer), of \(owner)",
	(del(.ifindex, .ifname, .port, .lqpn, .rqpn, .type, .state, .pid, .comm) |
		to_entries[] | row)'
}

qp() { # [--json] DEVICE [QPN]
	_as=qp_text
	if [ "${1-}" = --json ]; then
		_as="jq ."
		shift
	fi
	case $# in
	1|2) ;;
	*) misuse "qp takes a device and the number of a queue pair" ;;
	esac
	plain_names "$1"
	[ $# -eq 1 ] || case $2 in
	''|*[!0-9]*|?????????*) misuse "not the number of a queue pair: $2" ;;
	esac
	[ -e "/sys/class/infiniband/$1" ] || die "$missing" "no device $1"
	_rows=$(qp_rows "$@")
	case $_rows in
	''|'[]') die "$missing" "no queue pair${2:+ $2} of $1" ;;
	esac
	printf '%s\n' "$_rows" | $_as
}
