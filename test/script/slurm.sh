#!/bin/bash
# sm-model sweep on a cluster: a private Slurm (munged, slurmctld, slurmd) and a private sshd on this machine, in a temporary folder and on
# free ports; the same sweep by each engine ends with the same bytes, whatever is killed in between.
. "$(dirname "$0")/../lib.sh"
M=$(realpath "$M")
d=$tmp/cluster
mkdir -m 755 "$d" "$d/state" "$d/spool"
chmod 755 "$tmp"                        # munged wants to know that nobody else writes to the folders of its socket
daemons=()
stop() {
	local p
	for p in "${daemons[@]}"; do kill "$p" 2> /dev/null; done
	for p in "${daemons[@]}"; do for _ in $(seq 50); do kill -0 "$p" 2> /dev/null || break; sleep 0.1; done; kill -9 "$p" 2> /dev/null; done
	pkill -9 -F "$d/tasks" 2> /dev/null
	wait 2> /dev/null
}
trap 'stop; rm -rf "$tmp" "$log"' EXIT
daemon() { # NAME COMMAND...: in the foreground, from here
	local name=$1; shift
	PATH=$PATH:/usr/sbin:/sbin "$@" > "$d/$name.out" 2>&1 < /dev/null &
	daemons+=($!)
}
soon() { local i; for i in $(seq 300); do "$@" > /dev/null 2>&1 && return; sleep 0.2; done; echo "not within 60 s: $*"; tail -n 5 "$d"/*.out; return 1; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
have() { local c; for c in "$@"; do PATH=$PATH:/usr/sbin:/sbin command -v "$c" > /dev/null || { missing=$c; return 1; }; done; }

for k in saxpy reduction; do "$A" examples/$k/$k.ptx -q -o "$tmp/$k.rlo" && cp examples/$k/$k.yaml examples/$k/*.expect "$tmp" || exit 1; done
cat > "$tmp/forever.ptx" <<'PTX'
.version 7.0
.target sm_80
.address_size 64
.visible .entry forever() { .reg .u64 %c; .reg .pred %p; mov.u64 %c, 0; L: add.u64 %c, %c, 1; setp.ne.u64 %p, %c, 0; @%p bra L; ret; }
PTX
"$A" "$tmp/forever.ptx" -q -o "$tmp/forever.rlo" && echo 'launches: [{kernel: forever, grid: [1], block: [32]}]' > "$tmp/forever.yaml" || exit 1
file() { # NAME LINE...
	printf '%s\n' 'kernels:' '  - {object: saxpy.rlo, launch: saxpy.yaml}' '  - {object: reduction.rlo, launch: reduction.yaml}' 'rf: [baseline, corf++]' 'set: {rf_banks: [4, 8, 16]}' \
		'metrics: [cycles, ipc, rf_energy]' "${@:2}" > "$tmp/$1.yaml"
}
same_rows() { cmp "$tmp/$1.csv" "$tmp/$2.csv" && cmp "$tmp/$1.jsonl" "$tmp/$2.jsonl"; }
once() { [ "$(grep -c '"id"' "$tmp/$1.journal")" = "$2" ] || { echo "$(grep -c '"id"' "$tmp/$1.journal") results, not $2"; return 1; }; }
file ref && "$M" sweep "$tmp/ref.yaml" -q || exit 1

# ---- Slurm ----
host=$(hostname -s)
cluster() {
	local control=$(free_port) node=$(free_port)
	head -c 128 /dev/urandom > "$d/munge.key" && chmod 600 "$d/munge.key" || return 1
	daemon munged munged --foreground --force --num-threads=2 --key-file="$d/munge.key" --socket="$d/munge.sock" --pid-file="$d/munged.pid" --log-file="$d/munged.log" --seed-file="$d/munged.seed"
	cat > "$d/slurm.conf" <<-C
		ClusterName=regloom
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$control
		SlurmdPort=$node
		AuthType=auth/munge
		AuthInfo=socket=$d/munge.sock
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		StateSaveLocation=$d/state
		SlurmdSpoolDir=$d/spool
		SlurmctldPidFile=$d/slurmctld.pid
		SlurmdPidFile=$d/slurmd.pid
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerType=sched/builtin
		KillWait=1
		ReturnToService=2
		NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	C
	export SLURM_CONF=$d/slurm.conf
	soon test -S "$d/munge.sock" || return 1
	daemon slurmctld slurmctld -D -i -c
	daemon slurmd slurmd -D -c
	idle() { sinfo -h -o %t | grep -q '^idle'; }
	soon idle
}
slurm_tests() {
	gone() { [ -z "$(squeue -h)" ]; }
	sweep_same() {
		file slurm 'together: 2' && exits 0 "$M" sweep "$tmp/slurm.yaml" --engine=slurm && grep -q '^12 points: 12 timed; 12 run now' "$tmp/out" && same_rows ref slurm && once slurm 12 &&
		[ ! -e "$tmp/slurm.d" ] && soon gone
	}
	t "--engine=slurm: the same bytes as on this machine" sweep_same
	# Kernels that end do so at once: what is to be killed, or to wait, is one that never ends.
	forever() { # NAME LINE...: saxpy's six points, one that never ends, reduction's six
		file "$@" && sed -i 's|^  - {object: reduction|  - {object: forever.rlo, launch: forever.yaml}\n&|; s|^metrics|exclude: [{kernel: forever, rf: corf++}, {kernel: forever, rf_banks: [4, 8]}]\n&|' "$tmp/$1.yaml"
	}
	at_work() { worker=$(pgrep -f -- "sweep --unit $tmp/$1.d/.*-$2\$" | head -1); [ -n "$worker" ]; } # NAME ROUND-UNIT
	task_killed() { # the program by a signal, then the whole task by scancel: tried again, and said; the others are what they are
		forever tk 'together: 1' 'slurm: [--nice=0]'
		"$M" sweep "$tmp/tk.yaml" --engine=slurm --trust > "$tmp/bg.out" 2> "$tmp/bg.err" & local front=$! worker= code
		soon at_work tk 0-7 && kill -9 "$worker" && soon at_work tk 1-1 && scancel "$(tail -n 1 "$tmp/tk.d/slurm.jobs")" || { kill -TERM $front; wait $front; return 1; }
		wait $front; code=$?
		[ $code = 1 ] && [ "$(grep -c failed "$tmp/bg.err")" = 1 ] && grep -q 'point 7 failed: it ended, and nobody knows how' "$tmp/bg.err" && once tk 13 &&
			sed '/,forever,/d; s/^[0-9]*,//' "$tmp/tk.csv" | cmp - <(sed 's/^[0-9]*,//' "$tmp/ref.csv")
	}
	t "--engine=slurm: a task that is killed, one that is cancelled" task_killed
	task_lost() { # cancelled while it waits: timed by the next try
		file tl 'together: 4' 'slurm: [--hold]'
		"$M" sweep "$tmp/tl.yaml" --engine=slurm --trust > "$tmp/bg.out" 2> "$tmp/bg.err" & local front=$! job first= code
		submitted() { [ -s "$tmp/tl.d/slurm.jobs" ]; }
		soon submitted && first=$(cat "$tmp/tl.d/slurm.jobs") && scancel "${first}_2" || { kill -TERM $front; wait $front; return 1; }
		while kill -0 $front 2> /dev/null; do for job in $(cat "$tmp/tl.d/slurm.jobs" 2> /dev/null); do scontrol release "$job" 2> /dev/null; done; sleep 0.2; done
		wait $front; code=$?
		[ $code = 0 ] && [ ! -s "$tmp/bg.err" ] && same_rows ref tl && once tl 12
	}
	t "--engine=slurm: a task that never began" task_lost
	front_killed() { # its tasks are ended by the next one, what they have finished is not timed again
		forever fk 'together: 1'
		"$M" sweep "$tmp/fk.yaml" --engine=slurm --jobs 1 > "$tmp/bg.out" 2> "$tmp/bg.err" & local front=$! worker=
		ready() { [ "$(grep -c '"id"' "$tmp/fk.journal")" -ge 2 ]; }
		soon ready; local had=$?
		kill -9 $front; wait $front 2> /dev/null; [ $had = 0 ] || return 1
		file fk 'together: 1'
		nobody() { ! pgrep -f -- "sweep --unit $tmp/fk.d/"; }
		[ ! -e "$tmp/fk.csv" ] && exits 0 "$M" sweep "$tmp/fk.yaml" --engine=slurm && same_rows ref fk && once fk 12 && soon nobody && soon gone
	}
	t "--engine=slurm: the sweep is killed and goes on" front_killed
	stopped() {
		forever st 'together: 1'
		"$M" sweep "$tmp/st.yaml" --engine=slurm --jobs 1 > "$tmp/bg.out" 2> "$tmp/bg.err" & local front=$! code
		queued() { [ -s "$tmp/st.d/slurm.jobs" ]; }
		soon queued; kill -TERM $front; wait $front; code=$?
		cat "$tmp/bg.out" "$tmp/bg.err"; echo "exit code $code"
		[ $code = 143 ] && grep -q 'the same command goes on' "$tmp/bg.err" && soon gone && file st 'together: 1' && exits 0 "$M" sweep "$tmp/st.yaml" && same_rows ref st
	}
	t "--engine=slurm: SIGTERM cancels what is queued; another engine goes on" stopped
	refused() { # by sbatch
		file no 'slurm: [--partition=none]' && exits 1 "$M" sweep "$tmp/no.yaml" --engine=slurm --trust && says 'sbatch: ' && says 'partition' && [ ! -e "$tmp/no.csv" ] && [ ! -e "$tmp/no.d" ]
	}
	t "--engine=slurm: what sbatch refuses" refused
}
if ! have munged slurmctld slurmd sbatch squeue; then
	skip "--engine=slurm" "$missing is not installed"
elif ! cluster > "$d/why" 2>&1; then
	failed=$((failed + 1)); echo "FAIL  a private Slurm starts"; sed 's/^/      /' "$d/why" | head -40
else
	slurm_tests
fi

# ---- GNU parallel over ssh ----
ssh_tests() {
	local port; port=$(free_port)
	ssh-keygen -q -t ed25519 -N '' -f "$d/host" && ssh-keygen -q -t ed25519 -N '' -f "$d/user" && cp "$d/user.pub" "$d/authorized" || return 1
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" "HostKey $d/host" "PidFile $d/sshd.pid" "AuthorizedKeysFile $d/authorized" "StrictModes no" "UsePAM no" "PasswordAuthentication no" > "$d/sshd_config"
	daemon sshd "$(PATH=$PATH:/usr/sbin command -v sshd)" -D -e -f "$d/sshd_config"
	printf '%s\n' "Host near far" "HostName 127.0.0.1" "Port $port" "IdentityFile $d/user" "StrictHostKeyChecking no" "UserKnownHostsFile /dev/null" "LogLevel ERROR" "Host away" "HostName 127.0.0.1" "Port 1" > "$d/ssh_config"
	printf '#!/bin/sh\nexec ssh -F %s "$@"\n' "$d/ssh_config" > "$d/ssh"; chmod +x "$d/ssh"
	export PARALLEL_SSH=$d/ssh
	soon "$d/ssh" near true || { echo "FAIL  a private sshd starts"; failed=$((failed + 1)); return; }
	over_ssh() {
		file ssh 'together: 2' 'hosts: [near, far]' && exits 0 "$M" sweep "$tmp/ssh.yaml" --engine=parallel --jobs 1 --trust && same_rows ref ssh && once ssh 12 && [ ! -e "$tmp/ssh.d" ] &&
		[ "$(grep -c 'Accepted publickey' "$d/sshd.out")" -ge 6 ]
	}
	t "--engine=parallel over ssh: the same bytes" over_ssh
	away() { # a host that does not answer: what was given to it fails, and is done elsewhere the next time
		file away 'together: 4' 'retry: 0' && exits 1 "$M" sweep "$tmp/away.yaml" --engine=parallel --hosts away --points 1-2 && says 'point 1 failed: parallel: ' && exits 0 "$M" sweep "$tmp/away.yaml" --engine=parallel --hosts near && same_rows ref away
	}
	t "--engine=parallel over ssh: a host that does not answer" away
}
if ! have sshd ssh ssh-keygen parallel; then skip "--engine=parallel over ssh" "$missing is not installed"; else ssh_tests; fi
finish
