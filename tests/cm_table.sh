#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: cm_table.sh [-w]
#
# Prints the tables of core/cm/ib/fsm.c as Documentation/design/ib_cm.md has them,
# and fails when they differ; -w writes them into it.
set -u
cd "$(dirname "$0")/.." || exit 1
doc=Documentation/design/ib_cm.md
mkdir -p build
new=build/ib_cm.md

tables() {
	awk '
	function cell(text) { printf " %s |", text == "" ? "-" : text }
	function plain(name) {
		sub(/^CM_/, "", name)
		if (sub(/^CALL_/, "", name))
			return "call " name
		if (sub(/^RX_/, "", name))
			return "message " name
		return "time: " name
	}
	/^static const struct cm_fsm_step steps/ {
		print "### Ids\n"
		head = "| state | input | result | next state | event | sent |\n|---|---|---|---|---|---|"
	}
	/^static const struct cm_fsm_step lap_steps/ {
		print "\n### Alternate path of an established connection\n"
	}
	/^static const struct cm_fsm_step (lap_)?steps/ { print head; inside = 1; next }
	/^};/ { inside = 0 }
	inside && /^\t\[IB_CM_/ {
		state = $1; gsub(/\[IB_CM_|\]/, "", state)
	}
	inside && /^\t\t\[CM_/ {
		input = $1; gsub(/[][]/, "", input)
		rest = $0; sub(/^[^=]*= /, "", rest); sub(/,$/, "", rest)
		go = sub(/^GO\(/, "", rest)
		printf "|"; cell(state); cell(plain(input))
		if (go) {
			sub(/\)$/, "", rest); n = split(rest, part, /, /)
			gsub(/RAISE\(|\)/, "", part[2])
			cell("move"); cell(part[1])
			cell(part[2] == "SILENT" ? "" : part[2])
			cell(part[3] == "NOTHING" ? "" : part[3])
			rows++
		} else {
			cell(tolower(rest)); cell(""); cell(""); cell("")
			rows++
		}
		print ""
	}
	END { exit rows < 100 }' core/cm/ib/fsm.c
}

# Everything of the page but the tables is kept.
{
	sed '/^<!-- tables -->$/q' "$doc" && echo && tables
} >"$new" || { echo "no tables found"; exit 1; }
if [ "${1-}" = -w ]; then
	cp "$new" "$doc"
else
	diff -u "$doc" "$new"
fi
