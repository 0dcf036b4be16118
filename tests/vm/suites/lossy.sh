# SPDX-License-Identifier: GPL-2.0
#
# A wire that loses packets, both ways: all that was posted completes, early retransmissions
# bring what is lost at the end of a message, and no timeout of a queue pair is needed for it.
DRIVER=roce
. "$VM/lib/guest.sh"
. "$VM/lib/rates.sh"

impair() { # netem's words
	for _n in 0 1; do
		# Unquoted on purpose: words.
		tc qdisc replace dev eth$_n root netem limit 10000 $1 || return
	done
}
measure() {
	for _loss in 1 5; do
		check "$_loss % are lost" impair "loss $_loss% delay 1ms"
		rate "$_loss % loss: WRITE 64 KiB" write 65536 4
		rate "$_loss % loss: READ 64 KiB" read 65536 4
		rate "$_loss % loss: WRITE 64 B" write 64 16
	done
}

check "two interfaces" net_up
check "packets are not divided late" whole
rates measure
check "packets came again before the timeout" [ "$(counter early_retransmits)" -gt 0 ]
check "and never after it" [ "$(counter local_ack_timeout_err)" -eq 0 ]
two_links_end
