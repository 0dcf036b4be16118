# shellcheck shell=sh disable=SC2154,SC2086,SC2016
# SPDX-License-Identifier: GPL-2.0
#
# ofedctrl status --json: what status says, for programs. Part of ofedctrl.

# each KEY: a line of stdin is a row of that key
each() {
	while IFS= read -r _row; do
		printf '%s\t%s\n' "$1" "$_row"
	done
}

module_facts() { # NAME
	printf 'module\t%s\t%s\t%s\n' "$1" "$(refs "$1")" "$(module_on_disk "$1")"
	holder_rows "$1" | each "user$tab$1"
}

# Rows 'KEY VALUE...', tabs between.
status_facts() {
	echo "$kernel" | each kernel
	live_core | each core
	package_rows | each package
	unbuilt_packages | each unbuilt
	secure_boot | each secure_boot
	lockdown | each lockdown
	! signatures_wanted || echo yes | each signatures
	for _each in $(loaded_of $ours $theirs rdma_rxe siw); do
		module_facts "$_each"
	done
	link_rows | each link
	absent_rows | each absent
}

status_json() {
	scan_processes
	status_facts | jq -Rn '
	[inputs | split("\t")] as $rows |
	def rows($key): $rows[] | select(.[0] == $key) | .[1:];
	def first_of($key): [rows($key)[0]][0];
	def given: if . == "-" or . == "" then null else . end;
	def user:
		if .[0] == "process" then
			{kind: .[0], pid: (.[1] | tonumber), program: .[2], file: .[3]}
		elif .[0] == "device" then {kind: .[0], name: .[1], netdev: (.[2] | given)}
		else {kind: .[0], name: .[1]} end;
	{
		kernel: first_of("kernel"),
		core: first_of("core"),
		packages: ([rows("package") | {(.[0]): .[1]}] | add // {}),
		not_built: [rows("unbuilt")[0]],
		secure_boot: (first_of("secure_boot") == "on"),
		lockdown: first_of("lockdown"),
		signatures_required: (first_of("signatures") == "yes"),
		modules: [rows("module") | . as $owner | {
			name: .[0],
			references: (.[1] | tonumber),
			on_disk: .[2],
			users: [rows("user") | select(.[0] == $owner[0]) | .[1:] | user]
		}],
		links: ([rows("link") | {
			name: .[0], present: true, type: .[1], netdev: (.[2] | given),
			state: (.[3] | given), persistent: (.[4] | given)
		}] + [rows("absent") | {
			name: .[0], present: false, persistent: .[0], file: .[1]
		}])
	}'
}
