# SPDX-License-Identifier: GPL-2.0
#
# Debian's Open MPI, four processes, two on each of two hosts: over UCX by RC and by UD,
# and over libfabric. tests/programs/verbs/mpi_check compares every byte. Here a host is a
# namespace of network, name, processes and shared memory.
. "$VM/lib/guest.sh"
. "$VM/lib/apps.sh"

need_apps
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# mpirun's way to a host: HOST COMMAND. A kernel of ours may know no names of hosts.
names=
[ ! -e /proc/self/ns/uts ] || names=-u
cat >"$work/agent" <<-END
	#!/bin/sh
	shift
	exec unshare $names -m -p --fork $there sh -c "${names:+hostname h2;} \
		mount -t tmpfs shm /dev/shm && mount -t proc proc /proc && \$*"
END
chmod +x "$work/agent"
printf 'h1 slots=2\nh2 slots=2\n' >"$work/hosts"

most=$(count 4194304)
[ "$most" -ge 300000 ] || most=300000
# Each of a host's two processes and its peer over there: a message of each size there and
# back, and what all send to all.
bytes=$((most * 2))
mpi() { # MCA... -- ARG...
	_mca=
	while [ "$1" != -- ]; do _mca="$_mca --mca $1"; shift; done
	shift
	# Those that wait leave the processor to the others.
	timeout -k 5 "$limit" mpirun --mca mpi_yield_when_idle 1 --hostfile "$work/hosts" -np 4 --map-by slot \
		--mca plm_rsh_agent "$work/agent" $_mca "$programs/mpi_check" $most "$@"
}
rows() { # TITLE MCA...
	_title=$1
	shift
	check "mpirun $_title" carries $bytes mpi "$@"
	sed -n 's/^/     /p' "$work/output"
}
over_ucx() {
	export UCX_TLS=$1,self
	rows "over UCX, $1" "pml ucx" "osc ucx" --
	unset UCX_TLS
}
# UCX needs UD, which iWARP does not have.
if [ $DRIVER != iwarp ]; then
	over_ucx rc_v
	over_ucx ud_v
fi
# Open MPI 5 has windows over UCX alone.
case $(mpirun --version) in
*" 4."*) set -- "osc pt2pt" -- ;;
*)	set -- -- two-sided ;;
esac
rows "over libfabric" "pml cm" "mtl ofi" "mtl_ofi_provider_include verbs;ofi_rxm" "$@"

check "all goes" apps_down
check "the modules go" wait_for 20 unload_stack
