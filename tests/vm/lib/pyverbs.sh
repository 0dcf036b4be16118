# SPDX-License-Identifier: GPL-2.0
#
# Sourced, after guest.sh: rdma-core's own tests as Debian ships them with python3-pyverbs.

# py_tests LOG DEV GID: run them; no longer than the limit
py_tests() {
	mkdir -p "$work/rdma" && cp -r /usr/share/doc/rdma-core/tests "$work/rdma/" || return
	# Debian compresses what lies in /usr/share/doc.
	find "$work/rdma/tests" -name '*.gz' -exec gunzip -f {} +
	(cd "$work/rdma" && timeout -k 5 "$limit" python3 -u "$TOP/tests/programs/verbs/pyverbs_modules.py" \
		--dev "$2" --gid "$3" -v </dev/null >"$1" 2>&1) || return
	grep '^module ' "$1"
	[ "$(grep -c '^module ' "$1")" -eq "$(ls "$work"/rdma/tests/test_*.py | wc -l)" ]
}

# py_results LOG: 'tests.test_y.Class.test_x RESULT', sorted
# 'test_x (tests.test_y.Class)', then perhaps a docstring line, then '... ok'; newer Pythons
# have the method in the parentheses too. A test that prints has its result on a later line.
py_results() {
	awk '/^test_[a-z0-9_]+ \(/ {
		name = $2
		gsub(/[()]/, "", name)
		if (name !~ "\\." $1 "$")
			name = name "." $1
	}
	/^module .*: crashed$/ && name { print name, "crash"; name = "" }
	/(^| )(ok|FAIL|ERROR)$/ && name { print name, $NF; name = "" }
	/ \.\.\. skipped / { name = "" }' "$1" | sort
}

# py_why LOG TEST
py_why() { grep -A 30 -E "^(FAIL|ERROR): ${2##*.} " "$1" | head -n 40; }
